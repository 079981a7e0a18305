import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Issue } from "../../../domain/issues/issue.ts";
import {
  displayName,
  type KubernetesObject,
  type ObjectReference,
  referenceTo,
} from "../../../domain/kubernetes/object.ts";
import type { Hub, HubChange, HubError, WatchOptions } from "../../../ports/hub.ts";
import { keyOf, type ObjectKey } from "../semantics/stored-object.ts";
import { changeSignals } from "./change-signals.ts";
import { directoryScanner } from "./directory-scanner.ts";
import { freshIndex } from "./fresh-index.ts";
import { asHubError } from "./hub-errors.ts";
import { openIndexDatabase } from "./index-database.ts";
import { removeFile, removeLeftovers } from "./manifest-files.ts";
import { objectIndex, type StoredObject } from "./object-index.ts";
import { objectOperations, toObject } from "./object-operations.ts";
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
  /** Called for errors that prevent watches from reading the files; the watches retry. */
  onWatchError?: (error: HubError) => void;
}>;

function hasLabels({ metadata }: KubernetesObject, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([label, value]) => metadata.labels?.[label] === value);
}

function hasLabel({ metadata }: KubernetesObject, label: string | undefined): boolean {
  return label === undefined || metadata.labels?.[label] !== undefined;
}

async function* selected(
  changes: AsyncIterable<HubChange>,
  { withLabel, withoutLabel, name }: WatchOptions,
): AsyncGenerator<HubChange, void, void> {
  const isSelected = (object: KubernetesObject): boolean =>
    hasLabel(object, withLabel) &&
    (withoutLabel === undefined || !hasLabel(object, withoutLabel)) &&
    (name === undefined || object.metadata.name === name);
  for await (const change of changes) if (change.verb === "synced" || isSelected(change.object)) yield change;
}

/** Opens the index and applies all changes made to the files while no process had it open. */
function openIndex(root: string, onIssue: (issue: Issue) => void) {
  try {
    mkdirSync(join(root, stateDirectory), { recursive: true });
    const database = openIndexDatabase(join(root, stateDirectory, "index.db"));
    const index = objectIndex(database, (key) => removeFile(join(root, statusPath(key))));
    const scanner = directoryScanner(root, database, index, onIssue);
    scanner.locked(() => {
      removeLeftovers(root);
      removeLeftovers(join(root, statusDirectory));
    });
    scanner.scan(true);
    return { database, index, scanner };
  } catch (error) {
    throw asHubError(error, `open the hub in ${root}`);
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
  const { database, index, scanner } = openIndex(root, options.onIssue ?? (() => undefined));
  const fresh = freshIndex(index, scanner);
  const operations = objectOperations(root, index, objectWriter(root, index, scanner));
  const signals = changeSignals(root);
  const watches = objectWatches(index, scanner, signals, options.onWatchError ?? (() => undefined));

  async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw asHubError(error, what);
    }
  }

  async function write<Result>(
    verb: string,
    reference: ObjectReference,
    work: (key: ObjectKey, stored: StoredObject | undefined) => Result,
  ): Promise<Result> {
    return attempt(`${verb} ${displayName(reference)}`, async () => {
      const key = keyOf(reference);
      const result = await fresh.write(key, (stored) => work(key, stored));
      signals.raiseOwn();
      return result;
    });
  }

  return {
    id: options.id ?? pathToFileURL(root).href,

    get(kind, name, namespace = "") {
      const reference = { ...kind, name, namespace };
      return attempt(`get ${displayName(reference)}`, async () => {
        if (kind.namespaced && !namespace) return undefined; // as on a server: no such path
        const stored = await fresh.object(keyOf(reference));
        return stored && toObject(stored);
      });
    },

    list(kind, { namespace, labels = {}, withLabel, name } = {}) {
      return attempt(`list ${kind.kind}`, async () => {
        await fresh.refreshAll();
        const objects = index.objects(kind, kind.namespaced ? namespace : undefined).map(toObject);
        return objects.filter(
          (object) =>
            hasLabels(object, labels) &&
            hasLabel(object, withLabel) &&
            (name === undefined || object.metadata.name === name),
        );
      });
    },

    create(object) {
      return write("create", referenceTo(object), (key, stored) => operations.create(key, stored, object));
    },
    update(object) {
      return write("update", referenceTo(object), (key, stored) => operations.update(key, stored, object));
    },
    updateStatus(object) {
      return write("update the status of", referenceTo(object), (key, stored) =>
        operations.updateStatus(key, stored, object),
      );
    },
    delete(reference) {
      return write("delete", reference, (key, stored) => operations.delete(key, stored, reference));
    },

    watch: (wanted, signal, watchOptions = {}) => selected(watches.watch(wanted, signal), watchOptions),

    fileOf(reference) {
      const stored = index.object(keyOf(reference));
      return stored && join(root, stored.file);
    },

    close() {
      watches.close();
      database.close();
    },
  };
}
