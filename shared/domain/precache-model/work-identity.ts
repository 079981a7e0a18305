import { hash } from "node:crypto";
import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** The name of a ClusterGroupUpgrade. */
export type CguName = Readonly<{ namespace: string; name: string }>;

/**
 * One attempt of a ClusterGroupUpgrade to cache its content on one cluster: `revision` identifies the content,
 * `attempt` counts its attempts from 1.
 */
export type Run = Readonly<{ cgu: CguName; revision: string; attempt: number }>;

/**
 * One check of whether the content of a ClusterGroupUpgrade is still on one cluster, which pulls nothing. `check` is the
 * second of its start (Unix time): no two checks of a cluster start in the same one.
 */
export type CheckRun = Readonly<{ cgu: CguName; revision: string; check: number }>;

/** The labels of a ManifestWork, for list requests. */
export const workLabels = {
  cgu: "hubrelay.dev/cgu",
  cguNamespace: "hubrelay.dev/cgu-namespace",
  revision: "hubrelay.dev/precache-revision",
  attempt: "hubrelay.dev/attempt",
  check: "hubrelay.dev/precache-check",
} as const;

/** The CGU's full name: a label value is shorter than a name may be. */
export const cguAnnotation = "hubrelay.dev/cgu";

const maxLabelLength = 63;

function digest(text: string, length: number): string {
  return hash("sha256", text).slice(0, length);
}

/** Returns a name as a label value; a long one is cut and made unique by its digest. */
function labelValue(name: string): string {
  return name.length <= maxLabelLength ? name : `${name.slice(0, 46)}-${digest(name, 16)}`;
}

/** Returns the labels of all ManifestWorks of a CGU. */
export function cguLabels({ namespace, name }: CguName): Readonly<Record<string, string>> {
  return { [workLabels.cgu]: labelValue(name), [workLabels.cguNamespace]: labelValue(namespace) };
}

/**
 * Returns the suffix of the names of a run's objects. It depends on content, CGU and attempt: a Job's template cannot
 * change, and two CGUs with the same content must not share an object. That of a check is no suffix of any run.
 */
export function runSuffix(run: Run | CheckRun): string {
  const { cgu, revision } = run;
  const suffix = `${revision}-${digest(`${cgu.namespace}/${cgu.name}`, 6)}`;
  if ("check" in run) return `check-${suffix}-${run.check}`;
  return run.attempt > 1 ? `${suffix}-${run.attempt}` : suffix;
}

/** Returns the name of the ManifestWork of a run or a check, in the namespace of the managed cluster. */
export function workName(run: Run | CheckRun): string {
  return `precache-${runSuffix(run)}`;
}

/** True for a valid name of the ManifestWork of a run or a check. */
export function isWorkName(name: string): boolean {
  return /^precache-(?:check-)?[0-9a-f]{10}-[0-9a-f]{6}(?:-[0-9]{1,10})?$/.test(name);
}

function identityOf({ metadata }: KubernetesObject): Pick<Run, "cgu" | "revision"> | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(annotations[cguAnnotation] ?? "") ?? [];
  const revision = labels[workLabels.revision];
  return namespace && name && revision ? { cgu: { namespace, name }, revision } : undefined;
}

/** Returns the number in a label; undefined without one that counts from 1. */
function numberIn({ metadata }: KubernetesObject, label: string): number | undefined {
  const number = Number(ownValue(metadata.labels, label));
  return Number.isInteger(number) && number >= 1 ? number : undefined;
}

/** Returns the run of a ManifestWork; undefined when it is not for pre-caching, and for that of a check. */
export function runOf(work: KubernetesObject): Run | undefined {
  const attempt = numberIn(work, workLabels.attempt);
  const identity = attempt === undefined ? undefined : identityOf(work);
  return identity && attempt !== undefined ? { ...identity, attempt } : undefined;
}

/** Returns the check of a ManifestWork; undefined for any other. */
export function checkRunOf(work: KubernetesObject): CheckRun | undefined {
  const check = numberIn(work, workLabels.check);
  const identity = check === undefined ? undefined : identityOf(work);
  return identity && check !== undefined ? { ...identity, check } : undefined;
}
