import { isRecord, isSameJson, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { inWaves, waveOf, withoutRun } from "./waves.ts";

export type ImportChange = "new" | "changed" | "unchanged" | "stale";

/** An object that oc-mirror wrote, and how importing changes the object on the hub. */
export type ImportedObject = Readonly<{ object: KubernetesObject; change: ImportChange }>;

/** Other stored fields are ignored, since API servers add defaults. */
function holds(stored: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted) || !isRecord(stored)) return isSameJson(stored, wanted);
  return Object.entries(wanted).every(
    ([name, value]) => Object.hasOwn(stored, name) && holds(ownValue(stored, name), value),
  );
}

/** Removes the annotation with oc-mirror's version, which does not affect the cluster. */
const withoutVersion = ({ "oc-mirror_version": _, ...annotations }: Readonly<Record<string, string>>) =>
  annotations;

function isUnchanged(stored: KubernetesObject, wanted: KubernetesObject): boolean {
  const { labels = {}, annotations = {} } = wanted.metadata;
  // Data is compared as a whole, since a deleted signature is also a change.
  const isSameData = ["data", "binaryData"].every((field) =>
    isSameJson(ownValue(stored, field) ?? {}, ownValue(wanted, field) ?? {}),
  );
  return (
    isSameData &&
    holds(stored.metadata.labels ?? {}, labels) &&
    holds(stored.metadata.annotations ?? {}, withoutVersion(annotations)) &&
    holds(stored.spec ?? {}, wanted.spec ?? {})
  );
}

const generatedName = /^(?:idms|itms)-(?:release|operator|generic)-\d+$/;

function isOfOcMirror(object: KubernetesObject): boolean {
  const { annotations = {}, labels = {}, name } = object.metadata;
  const isMirrorSet = [kinds.ImageDigestMirrorSet, kinds.ImageTagMirrorSet].some((kind) =>
    isKind(kind, object),
  );
  const isOfFirstVersion =
    isKind(kinds.ImageContentSourcePolicy, object) && labels["operators.openshift.org/catalog"] === "true";
  const isNamed = (isMirrorSet && generatedName.test(name)) || isOfFirstVersion;
  return waveOf(object) !== undefined && (annotations.createdBy?.startsWith("oc-mirror") === true || isNamed);
}

const keyOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${apiVersion} ${kind} ${namespacedName(metadata)}`;

/**
 * Compares oc-mirror's objects with a hub's, without times and the order of rules. Returns the objects in the order of
 * application; stale objects, which only an earlier run wrote, come last.
 */
export function compareWithHub(
  made: readonly KubernetesObject[],
  hub: readonly KubernetesObject[],
): readonly ImportedObject[] {
  const stored = new Map(hub.map((object) => [keyOf(object), withoutRun(object)]));
  const wanted = new Set(made.map(keyOf));
  const present = inWaves(made.map(withoutRun)).map((object): ImportedObject => {
    const old = stored.get(keyOf(object));
    const change = old === undefined ? "new" : isUnchanged(old, object) ? "unchanged" : "changed";
    return { object, change };
  });
  const stale = hub.filter((object) => isOfOcMirror(object) && !wanted.has(keyOf(object)));
  return [...present, ...inWaves(stale).map((object) => ({ object, change: "stale" as const }))];
}

/** Returns the hub's objects as they are after this run's objects are applied. Stale objects stay. */
export function afterImport(
  made: readonly KubernetesObject[],
  hub: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const wanted = new Set(made.map(keyOf));
  return [...hub.filter((object) => !wanted.has(keyOf(object))), ...made];
}
