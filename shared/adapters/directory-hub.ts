import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Issue } from "../domain/issue.ts";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import {
  displayName,
  type KubernetesObject,
  type ObjectReference,
  referenceTo,
} from "../domain/kubernetes/object.ts";
import { type Hub, type HubChange, HubError, type ListOptions } from "../ports/hub.ts";
import { changeSignals } from "./directory-hub/change-signals.ts";
import { directoryScanner } from "./directory-hub/directory-scanner.ts";
import { asHubError } from "./directory-hub/hub-errors.ts";
import { openIndexDatabase } from "./directory-hub/index-database.ts";
import { removeFile, removeLeftovers } from "./directory-hub/manifest-files.ts";
import { objectIndex, type StoredObject } from "./directory-hub/object-index.ts";
import { answerOf, objectOperations } from "./directory-hub/object-operations.ts";
import { stateDirectory, statusDirectory, statusPath } from "./directory-hub/object-paths.ts";
import { objectWatch } from "./directory-hub/object-watch.ts";
import { objectWriter } from "./directory-hub/object-writer.ts";
import { keyOf, type ObjectKey } from "./directory-hub/stored-object.ts";

export type DirectoryHub = Hub &
  Readonly<{
    /** The file that holds the object, as an absolute path. */
    fileOf(reference: ObjectReference): string | undefined;
    /** Ends watches and frees the index. */
    close(): void;
  }>;

/** How often to look again at files that somebody keeps changing before the last good state is answered. */
const patience = 5;

function hasLabels({ metadata }: KubernetesObject, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([label, value]) => metadata.labels?.[label] === value);
}

/**
 * Opens a directory of manifests as a hub. Every YAML or JSON file below it holds objects of the hub, which
 * people may edit at any time; objects that hubrelay creates become files of their own. What a Kubernetes API
 * would keep in etcd besides (uids, versions, statuses) is kept in `.hubrelay` inside the directory, shared by
 * all processes that have it open.
 *
 * `id` is the CloudEvents source, by default the directory's URL. `onIssue` is told once of everything in the
 * files that cannot be used; objects in a file that has become unreadable stay as they were.
 */
export function openDirectoryHub(
  directory: string,
  options: Readonly<{ id?: string; onIssue?: (issue: Issue) => void }> = {},
): DirectoryHub {
  const root = resolve(directory);
  mkdirSync(join(root, stateDirectory), { recursive: true });
  const database = openIndexDatabase(join(root, stateDirectory, "index.db"));
  const index = objectIndex(database, (key) => removeFile(join(root, statusPath(key))));
  const scanner = directoryScanner(root, database, index, options.onIssue ?? (() => undefined));
  const operations = objectOperations(root, index, objectWriter(root, index, scanner));
  const signals = changeSignals(root);
  let scanned = -1;
  let watches = 0;
  let isClosed = false;

  async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw asHubError(error, what);
    }
  }

  /** Brings the whole index up to date; waits a moment for files that are being changed. */
  async function refresh(): Promise<void> {
    for (let look = 0; look < patience; look++) {
      const { unsettledMs } = scanner.scan();
      if (unsettledMs === 0) return;
      await sleep(unsettledMs);
    }
  }

  /** Brings one object up to date. Only its own file is looked at, unless the object is new or has moved. */
  async function refreshObject(key: ObjectKey): Promise<void> {
    for (let look = 0; look < patience; look++) {
      const stored = index.object(key);
      if (!stored) return refresh();
      if (scanner.unchanged(stored.file)) return;
      if (!scanner.exists(stored.file)) await refresh();
      else {
        const waitMs = scanner.look(stored.file);
        if (waitMs > 0) await sleep(waitMs);
      }
    }
  }

  /** Runs a write with the lock, on an object whose file is the one that the index knows. */
  async function write<Result>(
    what: string,
    reference: ObjectReference,
    work: (key: ObjectKey, stored: StoredObject | undefined) => Result,
  ): Promise<Result> {
    return attempt(`${what} ${displayName(reference)}`, async () => {
      const key = keyOf(reference);
      for (let look = 0; look < patience; look++) {
        await refreshObject(key);
        const written = writeNow(key, work);
        if (written) return written.result;
      }
      throw new HubError("Conflict", "the object's file is being changed all the time");
    });
  }

  function writeNow<Result>(
    key: ObjectKey,
    work: (key: ObjectKey, stored: StoredObject | undefined) => Result,
  ): { result: Result } | undefined {
    try {
      return database.transaction(() => {
        const stored = index.object(key);
        if (stored && !scanner.unchanged(stored.file)) return undefined;
        return { result: work(key, stored) };
      });
    } catch (error) {
      scanner.invalidate();
      throw error;
    } finally {
      signals.raise();
    }
  }

  async function* watch(kinds: readonly Kind[], signal: AbortSignal): AsyncGenerator<HubChange, void, void> {
    const changes = objectWatch(index, kinds);
    const wake = () => signals.raise();
    signal.addEventListener("abort", wake);
    watches++;
    let isSynced = false;
    try {
      while (!signal.aborted && !isClosed) {
        const seen = signals.count();
        if (scanned < seen || !isSynced) {
          scanned = seen;
          const { directories, againMs } = scanner.scan();
          signals.observe(directories, againMs);
        }
        for (const change of changes()) {
          if (signal.aborted || isClosed) return;
          yield change;
        }
        if (!isSynced) yield { verb: "synced" };
        isSynced = true;
        await signals.next(seen);
      }
    } catch (error) {
      throw asHubError(error, `watching ${kinds.map(({ kind }) => kind).join(", ")}`);
    } finally {
      signal.removeEventListener("abort", wake);
      if (--watches === 0) signals.close();
    }
  }

  database.transaction(() => {
    removeLeftovers(root);
    removeLeftovers(join(root, statusDirectory));
  });
  scanner.scan(true);
  return {
    id: options.id ?? pathToFileURL(root).href,
    get: (kind, name, namespace) =>
      attempt(`get ${displayName({ ...kind, namespace: namespace ?? "", name })}`, async () => {
        if (kind.namespaced && !namespace) return undefined; // as a server: the path leads nowhere
        const key = keyOf({ ...kind, name, ...(namespace ? { namespace } : {}) });
        await refreshObject(key);
        const stored = index.object(key);
        return stored && answerOf(stored);
      }),
    list: (kind, { namespace, labels = {} }: ListOptions = {}) =>
      attempt(`list ${kind.kind}`, async () => {
        await refresh();
        const objects = index.objects(kind, kind.namespaced ? namespace : undefined).map(answerOf);
        return objects.filter((object) => hasLabels(object, labels));
      }),
    create: (object) =>
      write("create", referenceTo(object), (key, stored) => operations.create(key, stored, object)),
    update: (object) =>
      write("update", referenceTo(object), (key, stored) => operations.update(key, stored, object)),
    updateStatus: (object) =>
      write("update the status of", referenceTo(object), (key, stored) =>
        operations.updateStatus(key, stored, object),
      ),
    delete: (reference) =>
      write("delete", reference, (key, stored) => operations.delete(key, stored, reference)),
    watch,
    fileOf(reference) {
      const stored = index.object(keyOf(reference));
      return stored && join(root, stored.file);
    },
    close() {
      isClosed = true;
      signals.raise(); // watches end
      signals.close();
      database.close();
    },
  };
}
