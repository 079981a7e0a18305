import { issueObject } from "../issues/issue.ts";
import { type KubernetesObject, kinds, namespaceOf } from "../kubernetes/object.ts";
import { configReferenceOf } from "../precache-model/upgrade-spec.ts";
import type { Draft } from "./plan-draft.ts";
import { additionalImageIssues, isUsableImage } from "./values/image-issues.ts";
import { noConfigValues, readPreCachingConfig } from "./values/pre-caching-config.ts";

/** Returns the object with this namespace and name; undefined if the list has no such object. */
export function findIn(
  objects: readonly KubernetesObject[],
  namespace: string,
  name: string,
): KubernetesObject | undefined {
  return objects.find((object) => object.metadata.name === name && namespaceOf(object) === namespace);
}

/** Returns the values of a ClusterGroupUpgrade's PreCachingConfig. If it does not exist, `missing` is its name. */
export function readConfig({ input, upgrade }: Pick<Draft, "input" | "upgrade">) {
  const { cgu, preCachingConfigs } = input;
  const reference = configReferenceOf(cgu, upgrade.preCachingConfigRef);
  if (!reference) return { values: noConfigValues, object: issueObject(cgu), issues: [], missing: "" };
  const found = findIn(preCachingConfigs, reference.namespace, reference.name);
  const object = found
    ? issueObject(found)
    : { kind: kinds.PreCachingConfig.kind, namespace: reference.namespace, name: reference.name };
  if (!found) return { values: noConfigValues, object, issues: reference.issues, missing: reference.name };
  const read = readPreCachingConfig(found);
  const { additionalImages } = read.values;
  const issues = [...reference.issues, ...read.issues, ...additionalImageIssues(additionalImages, object)];
  const values = { ...read.values, additionalImages: additionalImages.filter(isUsableImage) };
  return { values, object, issues, missing: "" };
}

export type Config = ReturnType<typeof readConfig>;
