import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isSameJson } from "../../../domain/kubernetes/json/values.ts";
import type { KubernetesObject, ObjectReference } from "../../../domain/kubernetes/object.ts";
import { removeManifest, replaceManifest } from "../../../domain/manifests/edit-manifests.ts";
import type { LocatedObject } from "../../../domain/manifests/located-object.ts";
import { readManifests, writeManifest } from "../../../domain/manifests/manifests.ts";
import { type Hub, HubError } from "../../../ports/hub.ts";
import { memoryStore } from "../memory/memory-store.ts";
import { asHubError, hubOnStore } from "../semantics/hub-on-store.ts";
import { keyOf, keyText, type ObjectKey, partsOf, type StoredObject } from "../semantics/stored-object.ts";
import { folderFiles, type IssueListener, settleMs } from "./folder-files.ts";
import { freePath, statusPath } from "./folder-objects.ts";

/** The shortest pause between scans. Scans replace file events, which network file systems and containers lack. */
const pollMs = 250;
/** A pause lasts at least this many times as long as the last scan, so scans take at most a tenth of the time. */
const pauseFactor = 9;

export type DirectoryHub = Hub &
  Readonly<{
    /** Returns the absolute path of the file that holds the object. */
    fileOf(reference: ObjectReference): string | undefined;
    close(): void;
  }>;

type DirectoryHubOptions = IssueListener &
  Readonly<{
    /** The CloudEvents source; by default the directory's URL. */
    id?: string;
    /** Called when reading the files starts to fail, or fails with another error. */
    onWatchError?(error: HubError): void;
  }>;

/** Keeps the fields of the manifest that a hub's body never has, such as status and uid. */
function inManifest({ object }: LocatedObject, body: KubernetesObject): KubernetesObject {
  const { body: own, status } = partsOf(object);
  const foreign = Object.entries(object.metadata).filter(
    ([field]) =>
      !Object.hasOwn(own.metadata, field) && !Object.hasOwn(body.metadata, field) && field !== "namespace",
  );
  return {
    ...body,
    metadata: { ...body.metadata, ...Object.fromEntries(foreign) },
    ...(status === undefined ? {} : { status }),
  };
}

/** Opens a directory of YAML or JSON manifests as a hub. Throws a `HubError` if the directory cannot be read. */
export function openDirectoryHub(directory: string, options: DirectoryHubOptions = {}): DirectoryHub {
  const root = resolve(directory);
  // It starts at the milliseconds since 1970, so that versions also grow after a restart.
  let revision = Date.now();
  const clock = { now: () => new Date(), nextRevision: () => ++revision };
  const store = memoryStore(clock);
  const files = folderFiles(root, store, clock, options);
  const closing = new AbortController();
  let watches = 0;
  let lastError = "";

  function look(): void {
    const startMs = performance.now();
    let isWaiting = false;
    try {
      isWaiting = files.scan();
      lastError = "";
    } catch (error) {
      const hubError = asHubError(error, "watch");
      if (hubError.message !== lastError) options.onWatchError?.(hubError);
      lastError = hubError.message;
    }
    schedule(isWaiting ? settleMs : Math.max(pollMs, pauseFactor * (performance.now() - startMs)));
  }

  let timer: NodeJS.Timeout | undefined;
  function schedule(afterMs: number): void {
    if (closing.signal.aborted) return;
    timer = setTimeout(look, afterMs);
    if (watches === 0) timer.unref();
  }

  function present(key: ObjectKey): StoredObject {
    const object = store.at(key);
    if (object) return object;
    throw new HubError("InternalError", `${key.kind}/${key.name} is not in memory after it was written`);
  }

  function removeFrom(file: string, key: ObjectKey): void {
    const { text, located } = files.locate(key, file);
    const rest = removeManifest(text, located);
    if (rest === "") files.remove(file);
    else files.write(file, rest, { synced: true });
  }

  const hub = hubOnStore(options.id ?? pathToFileURL(root).href, {
    ...clock,
    ...store,
    async find(key) {
      await files.refresh(key);
      return store.at(key);
    },
    async list(kind, namespace) {
      await files.refreshAll();
      return store.sorted(kind, namespace);
    },
    async write(key, work) {
      if (await files.refresh(key)) return work(store.at(key));
      throw new HubError("Conflict", "the object's file keeps changing, or cannot be read");
    },
    create(key, body) {
      const uid = files.objects.newUid(key);
      const manifest = uid ? { ...body, metadata: { ...body.metadata, uid } } : body;
      files.write(freePath(root, key), writeManifest(manifest), { synced: false });
      return present(key);
    },
    replace({ key }, body) {
      const file = files.fileOf(key) ?? "";
      const { text, located } = files.locate(key, file);
      const edited = replaceManifest(text, located, inManifest(located, body));
      const written = readManifests(edited, file).objects.map(({ object }) => partsOf(object));
      const own = written.find((parts) => keyText(parts.key) === keyText(key));
      if (!own || !isSameJson(own.body, body))
        throw new HubError("InternalError", `${key.kind}/${key.name} cannot be edited within ${file}`);
      files.write(file, edited, { synced: true });
      return present(key);
    },
    saveStatus({ key, server }, status) {
      const manifest = files.objects.statusManifest(key, server, status);
      files.write(statusPath(key), writeManifest(manifest), { synced: false });
      return present(key);
    },
    /** Removes the object from every file that defines it. A remaining definition would restore the object. */
    remove({ key }) {
      const all = files.objects.definitionsOf(key).map(({ file }) => file);
      for (const file of new Set(all)) removeFrom(file, key);
    },
    async *watch(kind, signal) {
      if (watches++ === 0) timer?.ref();
      try {
        yield* store.watch(kind, AbortSignal.any([signal, closing.signal]));
      } finally {
        if (--watches === 0) timer?.unref();
      }
    },
  });

  try {
    files.scan(true);
  } catch (error) {
    throw asHubError(error, `open the hub in ${root}`);
  }
  schedule(pollMs);
  return {
    ...hub,
    fileOf(reference) {
      const file = files.fileOf(keyOf(reference));
      return file && join(root, file);
    },
    close() {
      closing.abort();
      clearTimeout(timer);
    },
  };
}
