import { hash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { byCodeUnit, fieldsOf, isSameJson } from "../../../domain/kubernetes/json/values.ts";
import { type KubernetesObject, kindOf } from "../../../domain/kubernetes/object.ts";
import type { MemoryStore } from "../memory/memory-store.ts";
import {
  type HubClock,
  keyText,
  newServerFields,
  type ObjectKey,
  type Parts,
  rewritten,
  type ServerFields,
} from "../semantics/stored-object.ts";

/** The folder for hubrelay's own state, inside a hub's directory. */
export const stateDirectory = ".hubrelay";

export const statusDirectory = `${stateDirectory}/status`;

/** Maximum length of an encoded name. File systems allow 255 bytes, of which extension and suffix need some. */
const maxNameLength = 200;

function fileName(name: string): string {
  const safe = encodeURIComponent(name).replace(
    /^\.|\*/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  if (safe.length <= maxNameLength) return safe;
  const digest = hash("sha256", name).slice(0, 16);
  return `${safe.slice(0, maxNameLength - digest.length - 1)}-${digest}`;
}

function objectPath({ apiVersion, kind, namespace, name }: ObjectKey): string {
  const plural = kindOf({ apiVersion, kind })?.plural ?? kind.toLowerCase();
  const [group, version] = apiVersion.split("/");
  const resource = `${plural}.${version === undefined ? "core" : group}`;
  return [resource, ...(namespace ? [namespace] : []), name].map(fileName).join("/");
}

/** Returns the usual path for a new object, relative to the hub's directory. */
export function firstPath(key: ObjectKey): string {
  return `${objectPath(key)}.yaml`;
}

/** Returns a path for a new object, relative to the hub's directory. No file has this path yet. */
export function freePath(root: string, key: ObjectKey): string {
  for (let suffix = 1; ; suffix++) {
    const candidate = suffix === 1 ? firstPath(key) : `${objectPath(key)}-${suffix}.yaml`;
    if (!existsSync(join(root, candidate))) return candidate;
  }
}

/** Returns the path of an object's status file, relative to the hub's directory. */
export function statusPath(key: ObjectKey): string {
  return `${statusDirectory}/${objectPath(key)}.yaml`;
}

/** An object that a file defines. A status file defines only the object's status. */
export type Manifest = Readonly<{ parts: Parts; file: string }>;

const isStatus = ({ file }: Manifest) => file.startsWith(`${statusDirectory}/`);

/** Returns a uid for an object whose manifest has none. It is the same in every process. */
function derivedUid(key: ObjectKey): string {
  const digits = hash("sha256", keyText(key));
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/s, "$1-$2-8$3-8$4-$5");
}

/** Reports whether the manifest's status is still the one of which the status file has a copy. */
function isCurrent({ parts: { body } }: Manifest, { parts: { status } }: Manifest): boolean {
  return status === undefined || isSameJson(status, fieldsOf(body).manifestStatus);
}

/**
 * Fills the store with the objects in files. If several files define an object, the first file by path is used.
 * `removeStatus` is called for an object whose status file is no longer valid.
 */
export function folderObjects(store: MemoryStore, clock: HubClock, removeStatus: (key: ObjectKey) => void) {
  const inFiles = new Map<string, readonly Manifest[]>();
  const ofObjects = new Map<string, readonly Manifest[]>();
  const uidOwners = new Map<string, string>();
  const removed = new Set<string>();

  const definitionsOf = (key: ObjectKey) =>
    (ofObjects.get(keyText(key)) ?? []).filter((manifest) => !isStatus(manifest));

  /** Keeps the uid in the manifest (`claimed`), so that ownerReferences stay valid, unless another object has it. */
  function uidOf(key: ObjectKey, claimed: string | undefined): string {
    const isFree = claimed !== undefined && (uidOwners.get(claimed) ?? keyText(key)) === keyText(key);
    const uid = isFree ? claimed : derivedUid(key);
    uidOwners.set(uid, keyText(key));
    return uid;
  }

  function settle(key: ObjectKey): void {
    const [manifest] = definitionsOf(key);
    const written = ofObjects.get(keyText(key))?.find(isStatus);
    const present = store.at(key);
    if (!manifest) {
      if (!present) return;
      store.remove(present);
      removed.add(keyText(key));
      removeStatus(key);
      return;
    }
    const { body, claimed } = manifest.parts;
    const { status } = written && isCurrent(written, manifest) ? written.parts : manifest.parts;
    if (present) {
      const next = rewritten(present, { body, status }, clock);
      if (next !== present) store.save(next);
      if (written && !isCurrent(written, manifest)) removeStatus(key);
      return;
    }
    const known = written?.parts.claimed;
    const server = newServerFields(uidOf(key, claimed.uid), clock, {
      generation: claimed.generation ?? known?.generation,
      creationTimestamp: claimed.creationTimestamp ?? known?.creationTimestamp,
    });
    store.save({ key, body, status, server });
  }

  function define(file: string, manifests: readonly Manifest[]): void {
    const before = inFiles.get(file) ?? [];
    if (manifests.length > 0) inFiles.set(file, manifests);
    else inFiles.delete(file);
    const here = Map.groupBy(manifests, ({ parts }) => keyText(parts.key));
    const touched = new Map([...before, ...manifests].map(({ parts: { key } }) => [keyText(key), key]));
    for (const [text, key] of touched) {
      const others = (ofObjects.get(text) ?? []).filter((one) => one.file !== file);
      const all = [...others, ...(here.get(text) ?? [])].sort((a, b) => byCodeUnit(a.file, b.file));
      if (all.length > 0) ofObjects.set(text, all);
      else ofObjects.delete(text);
      settle(key);
    }
  }

  return {
    definitionsOf,
    inFile: (file: string) => inFiles.get(file) ?? [],
    duplicates: () =>
      [...ofObjects.values()]
        .map((all) => all.filter((one) => !isStatus(one)))
        .filter(({ length }) => length > 1),

    /** Returns a random uid if an object with this key was removed before; otherwise undefined. */
    newUid: (key: ObjectKey) => (removed.has(keyText(key)) ? randomUUID() : undefined),

    /** Returns the content of a status file: the fields that must outlive the process and are not in the manifest. */
    statusManifest(key: ObjectKey, server: ServerFields, status: unknown): KubernetesObject {
      const { apiVersion, kind, namespace, name } = key;
      const { generation, creationTimestamp } = server;
      const metadata = { name, ...(namespace ? { namespace } : {}), generation, creationTimestamp };
      const manifestStatus = definitionsOf(key)[0]?.parts.status;
      return {
        apiVersion,
        kind,
        metadata,
        status,
        ...(manifestStatus === undefined ? {} : { manifestStatus }),
      };
    },

    define,
  };
}
