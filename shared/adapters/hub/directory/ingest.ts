import { randomUUID } from "node:crypto";
import type { Issue } from "../../../domain/issues/issue.ts";
import { isSameJson } from "../../../domain/json/same-json.ts";
import type { KubernetesObject } from "../../../domain/kubernetes/object.ts";
import { timestamp } from "../../../domain/kubernetes/timestamp.ts";
import { readManifests } from "../../../domain/manifests/manifests.ts";
import { type ObjectKey, type Parts, partsOf, type ServerFields } from "../semantics/stored-object.ts";
import { bodyOf, type Manifest, type ObjectIndex, parseJson, type StoredObject } from "./object-index.ts";

function newServerFields(
  index: ObjectIndex,
  { uid, generation, creationTimestamp }: Parts["claimed"],
): ServerFields {
  return {
    // An exported manifest keeps its uid, so that ownerReferences between the files stay valid.
    uid: uid && !index.hasUid(uid) ? uid : randomUUID(),
    revision: index.nextRevision(),
    generation: generation && generation > 0 ? generation : 1,
    creationTimestamp: creationTimestamp || timestamp(new Date()),
    deletionTimestamp: undefined,
  };
}

function isSameBesidesMetadata(a: KubernetesObject, b: KubernetesObject): boolean {
  return isSameJson({ ...a, metadata: undefined }, { ...b, metadata: undefined });
}

/**
 * Returns the status to use with the manifest's current one: a person's edit of it wins, but removing it from the
 * manifest does not remove what a controller has written since.
 */
function statusAfter(present: StoredObject, manifestStatus: string | undefined): string | undefined {
  if (isSameJson(parseJson(manifestStatus), parseJson(present.manifestStatus))) return present.status;
  return manifestStatus ?? (present.status === present.manifestStatus ? undefined : present.status);
}

/**
 * Updates the hub's object from its manifests: the first file that defines it wins. Any change raises resourceVersion,
 * a change outside metadata and status raises the generation, no change raises nothing.
 */
function settleObject(index: ObjectIndex, key: ObjectKey): void {
  const [manifest] = index.manifestsOf(key);
  const present = index.object(key);
  if (!manifest) {
    if (present) index.removeObject(key);
    return;
  }
  const { file, parts } = manifest;
  const body = JSON.stringify(parts.body);
  const manifestStatus = parts.status === undefined ? undefined : JSON.stringify(parts.status);
  if (!present) {
    const server = newServerFields(index, parts.claimed);
    index.saveObject({ key, file, server, body, manifestStatus, status: manifestStatus });
    return;
  }
  const before = bodyOf(present);
  const status = statusAfter(present, manifestStatus);
  const isSame = isSameJson(before, parts.body) && status === present.status;
  const server: ServerFields = {
    ...present.server,
    revision: isSame ? present.server.revision : index.nextRevision(),
    generation: present.server.generation + (isSameBesidesMetadata(before, parts.body) ? 0 : 1),
  };
  index.saveObject({ key, file, server, body, manifestStatus, status });
}

const keyText = ({ apiVersion, kind, namespace, name }: ObjectKey) =>
  [apiVersion, kind, namespace, name].join("\n");

/**
 * Ingests the text of a file and returns the issues in it. While a part of the file is unreadable, the objects that
 * were in it before stay as they were: a person is in the middle of an edit.
 */
export function ingestText(index: ObjectIndex, file: string, text: string): readonly Issue[] {
  const { objects, issues } = readManifests(text, file);
  const found = objects.map(({ object }, position): Manifest => ({ parts: partsOf(object), file, position }));
  const before = index.manifestsIn(file);
  const foundKeys = new Set(found.map(({ parts }) => keyText(parts.key)));
  const kept = issues.length > 0 ? before.filter(({ parts }) => !foundKeys.has(keyText(parts.key))) : [];
  replaceManifests(index, file, [...found, ...kept]);
  return issues;
}

/** Replaces all manifests of a file and updates the objects that they define or no longer define. */
export function replaceManifests(index: ObjectIndex, file: string, manifests: readonly Manifest[]): void {
  const touched = [...index.manifestsIn(file), ...manifests].map(({ parts }) => parts.key);
  index.removeManifestsIn(file);
  for (const manifest of manifests) index.saveManifest(manifest);
  for (const key of new Map(touched.map((key) => [keyText(key), key])).values()) settleObject(index, key);
}
