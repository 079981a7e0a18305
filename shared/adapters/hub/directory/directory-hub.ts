import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Issue } from "../../../domain/issues/issue.ts";
import type { ObjectReference } from "../../../domain/kubernetes/object.ts";
import type { Hub, HubError } from "../../../ports/hub.ts";
import { asHubError, hubOnStore } from "../semantics/hub-on-store.ts";
import { keyOf } from "../semantics/stored-object.ts";
import { changeSignals } from "./change-signals.ts";
import { directoryScanner } from "./directory-scanner.ts";
import { freshIndex } from "./fresh-index.ts";
import { failureOf } from "./hub-errors.ts";
import { openIndexDatabase } from "./index-database.ts";
import { removeFile, removeLeftovers } from "./manifest-files.ts";
import { type IndexedObject, objectIndex } from "./object-index.ts";
import { stateDirectory, statusDirectory, statusPath } from "./object-paths.ts";
import { objectWatches } from "./object-watch.ts";
import { objectWriter } from "./object-writer.ts";

export type DirectoryHub = Hub &
  Readonly<{
    /** Returns the absolute path of the file that holds the object. */
    fileOf(reference: ObjectReference): string | undefined;
    /** Ends watches and frees the index. */
    close(): void;
  }>;

export type DirectoryHubOptions = Readonly<{
  /** The CloudEvents source; by default the directory's URL. */
  id?: string;
  /** Called once for each issue in the files. */
  onIssue?: (issue: Issue) => void;
  /** Called for each issue that a change of the files has removed, or replaced with others. */
  onFixed?: (issue: Issue) => void;
  /** Called for errors that prevent watches from reading the files; the watches retry. */
  onWatchError?: (error: HubError) => void;
}>;

/** Opens the index and applies all changes made to the files while no process had it open. */
function openIndex(root: string, { onIssue = () => undefined, onFixed }: DirectoryHubOptions) {
  try {
    const state = join(root, stateDirectory);
    // Recursive, it reports a read-only file system as a missing folder.
    if (!existsSync(state)) mkdirSync(state);
    const database = openIndexDatabase(join(state, "index.db"));
    const index = objectIndex(database, (key) => removeFile(join(root, statusPath(key))));
    const scanner = directoryScanner(root, database, index, { onIssue, ...(onFixed ? { onFixed } : {}) });
    scanner.locked(() => {
      removeLeftovers(root);
      removeLeftovers(join(root, statusDirectory));
    });
    scanner.scan(true);
    return { database, index, scanner };
  } catch (error) {
    throw asHubError(error, `open the hub in ${root}`, failureOf);
  }
}

/**
 * Opens a directory of manifests as a hub. Every YAML or JSON file below it holds objects of the hub, which people may
 * edit at any time; objects that hubrelay creates become files of their own. What a Kubernetes API keeps in etcd
 * besides (uids, versions, statuses) is kept in `.hubrelay` inside the directory, shared by all processes that have it
 * open.
 *
 * Objects in a file that has become unreadable stay as they were, and `onIssue` is called. Throws a `HubError` when the
 * directory or its index cannot be opened.
 */
export function openDirectoryHub(directory: string, options: DirectoryHubOptions = {}): DirectoryHub {
  const root = resolve(directory);
  const { database, index, scanner } = openIndex(root, options);
  const fresh = freshIndex(index, scanner);
  const signals = changeSignals(root);
  const { watch, close } = objectWatches(index, scanner, signals, options.onWatchError ?? (() => undefined));
  const hub = hubOnStore<IndexedObject>(options.id ?? pathToFileURL(root).href, {
    ...objectWriter(root, index, scanner),
    now: index.now,
    nextRevision: index.nextRevision,
    find: fresh.object,
    async list(kind, namespace) {
      await fresh.refreshAll();
      return index.objects(kind, namespace);
    },
    async write(key, work) {
      const result = await fresh.write(key, work);
      signals.raiseOwn();
      return result;
    },
    watch,
    failureOf,
  });

  return {
    ...hub,
    fileOf(reference) {
      const file = index.fileOf(keyOf(reference));
      return file && join(root, file);
    },
    close() {
      close();
      database.close();
    },
  };
}
