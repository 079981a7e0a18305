import { randomUUID } from "node:crypto";
import type { Issue } from "../../../domain/issues/issue.ts";
import { isSameJson } from "../../../domain/json/values.ts";
import { readManifests } from "../../../domain/manifests/manifests.ts";
import { newServerFields, rewritten } from "../semantics/server-fields.ts";
import { keyText, type ObjectKey, partsOf } from "../semantics/stored-object.ts";
import type { IndexedObject, Manifest, ObjectIndex } from "./object-index.ts";

/**
 * Returns the status to use with the manifest's current one: a person's edit of it wins, but removing it from the
 * manifest does not remove what a controller has written since.
 */
function statusAfter(present: IndexedObject, manifestStatus: unknown): unknown {
  if (isSameJson(manifestStatus, present.manifestStatus)) return present.status;
  if (manifestStatus !== undefined) return manifestStatus;
  return isSameJson(present.status, present.manifestStatus) ? undefined : present.status;
}

/** Updates the hub's object from its manifests: the first file that defines it wins. */
function settleObject(index: ObjectIndex, key: ObjectKey): void {
  const [manifest] = index.manifestsOf(key);
  const present = index.object(key);
  if (!manifest) {
    if (present) index.removeObject(key);
    return;
  }
  const { file, parts } = manifest;
  const { body, status: manifestStatus, claimed } = parts;
  if (present) {
    const status = statusAfter(present, manifestStatus);
    index.saveObject({ ...rewritten(present, { body, status }, index), body, file, manifestStatus });
    return;
  }
  // An exported manifest keeps its uid, so that ownerReferences between the files stay valid.
  const uid = claimed.uid && !index.hasUid(claimed.uid) ? claimed.uid : randomUUID();
  const server = newServerFields(uid, index, claimed);
  index.saveObject({ key, file, server, body, manifestStatus, status: manifestStatus });
}

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
  const touched = [...index.keysIn(file), ...manifests.map(({ parts }) => parts.key)];
  index.removeManifestsIn(file);
  for (const manifest of manifests) index.saveManifest(manifest);
  for (const key of new Map(touched.map((key) => [keyText(key), key])).values()) settleObject(index, key);
}
