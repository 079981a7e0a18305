import { createHash } from "node:crypto";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/** A ClusterGroupUpgrade by name. */
export type CguName = Readonly<{ namespace: string; name: string }>;

/**
 * One try of one ClusterGroupUpgrade to cache its content on one cluster: `revision` names the content, `attempt`
 * counts the retries of it, from 1.
 */
export type Run = Readonly<{ cgu: CguName; revision: string; attempt: number }>;

/** Labels of a ManifestWork, by which the hub's API finds it. */
export const workLabels = {
  cgu: "hubrelay.dev/cgu",
  cguNamespace: "hubrelay.dev/cgu-namespace",
  revision: "hubrelay.dev/precache-revision",
  attempt: "hubrelay.dev/attempt",
} as const;

/** The CGU's whole name: a label's value is shorter than a name may be. */
export const cguAnnotation = "hubrelay.dev/cgu";

const longestLabel = 63;

function digest(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

/** A name as a label's value; a long one is cut and made unique again by its digest. */
function labelValue(name: string): string {
  return name.length <= longestLabel ? name : `${name.slice(0, 46)}-${digest(name, 16)}`;
}

/** The labels that all ManifestWorks of a CGU carry. */
export function cguLabels({ namespace, name }: CguName): Readonly<Record<string, string>> {
  return { [workLabels.cgu]: labelValue(name), [workLabels.cguNamespace]: labelValue(namespace) };
}

/**
 * What the names of a run's objects end in. Another content, another CGU and another attempt have other names: a
 * Job's template cannot change, and two CGUs with the same content must not meet in one object.
 */
export function runSuffix({ cgu, revision, attempt }: Run): string {
  const suffix = `${revision}-${digest(`${cgu.namespace}/${cgu.name}`, 6)}`;
  return attempt > 1 ? `${suffix}-${attempt}` : suffix;
}

/** The name of a run's ManifestWork, in the namespace that is named after the managed cluster. */
export function workName(run: Run): string {
  return `precache-${runSuffix(run)}`;
}

/** True for a name that a run's ManifestWork may have. */
export function isWorkName(name: string): boolean {
  return /^precache-[0-9a-f]{10}-[0-9a-f]{6}(?:-[0-9]{1,9})?$/.test(name);
}

/** Whose run a ManifestWork is; undefined when it is none of pre-caching's. */
export function runOf({ metadata }: KubernetesObject): Run | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(annotations[cguAnnotation] ?? "") ?? [];
  const revision = labels[workLabels.revision];
  const attempt = Number(labels[workLabels.attempt]);
  if (!namespace || !name || !revision || !Number.isInteger(attempt) || attempt < 1) return undefined;
  return { cgu: { namespace, name }, revision, attempt };
}
