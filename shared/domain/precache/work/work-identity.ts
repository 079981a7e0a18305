import { createHash } from "node:crypto";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/** The name of a ClusterGroupUpgrade. */
export type CguName = Readonly<{ namespace: string; name: string }>;

/**
 * One attempt of a ClusterGroupUpgrade to cache its content on one cluster: `revision` identifies the content,
 * `attempt` counts its attempts from 1.
 */
export type Run = Readonly<{ cgu: CguName; revision: string; attempt: number }>;

/** The labels of a ManifestWork, for list requests. */
export const workLabels = {
  cgu: "hubrelay.dev/cgu",
  cguNamespace: "hubrelay.dev/cgu-namespace",
  revision: "hubrelay.dev/precache-revision",
  attempt: "hubrelay.dev/attempt",
} as const;

/** The CGU's full name: a label value is shorter than a name may be. */
export const cguAnnotation = "hubrelay.dev/cgu";

const longestLabel = 63;

function digest(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

/** Returns a name as a label value; a long one is cut and made unique by its digest. */
function labelValue(name: string): string {
  return name.length <= longestLabel ? name : `${name.slice(0, 46)}-${digest(name, 16)}`;
}

/** Returns the labels of all ManifestWorks of a CGU. */
export function cguLabels({ namespace, name }: CguName): Readonly<Record<string, string>> {
  return { [workLabels.cgu]: labelValue(name), [workLabels.cguNamespace]: labelValue(namespace) };
}

/**
 * Returns the suffix of the names of a run's objects. It depends on content, CGU and attempt: a Job's template cannot
 * change, and two CGUs with the same content must not share an object.
 */
export function runSuffix({ cgu, revision, attempt }: Run): string {
  const suffix = `${revision}-${digest(`${cgu.namespace}/${cgu.name}`, 6)}`;
  return attempt > 1 ? `${suffix}-${attempt}` : suffix;
}

/** Returns the name of a run's ManifestWork, in the namespace of the managed cluster. */
export function workName(run: Run): string {
  return `precache-${runSuffix(run)}`;
}

/** True for a valid name of a run's ManifestWork. */
export function isWorkName(name: string): boolean {
  return /^precache-[0-9a-f]{10}-[0-9a-f]{6}(?:-[0-9]{1,9})?$/.test(name);
}

/** Returns the run of a ManifestWork; undefined when it is not for pre-caching. */
export function runOf({ metadata }: KubernetesObject): Run | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(annotations[cguAnnotation] ?? "") ?? [];
  const revision = labels[workLabels.revision];
  const attempt = Number(labels[workLabels.attempt]);
  if (!namespace || !name || !revision || !Number.isInteger(attempt) || attempt < 1) return undefined;
  return { cgu: { namespace, name }, revision, attempt };
}
