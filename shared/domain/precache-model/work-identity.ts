import { hash } from "node:crypto";
import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** Namespace and name of a ClusterGroupUpgrade. */
export type CguName = Readonly<{ namespace: string; name: string }>;

/** One attempt to pre-cache a ClusterGroupUpgrade's content on one cluster. `attempt` counts from 1. */
export type Run = Readonly<{ cgu: CguName; revision: string; attempt: number }>;

/** A check of whether a cluster still has all images; it pulls nothing. `check` is its start in Unix time (seconds). */
export type CheckRun = Readonly<{ cgu: CguName; revision: string; check: number }>;

/** Names of the labels by which hubrelay finds its ManifestWorks. */
export const workLabels = {
  cgu: "hubrelay.dev/cgu",
  cguNamespace: "hubrelay.dev/cgu-namespace",
  revision: "hubrelay.dev/precache-revision",
  attempt: "hubrelay.dev/attempt",
  check: "hubrelay.dev/precache-check",
} as const;

/** Annotation with `namespace/name` of the ClusterGroupUpgrade, which can be too long for a label value. */
export const cguAnnotation = "hubrelay.dev/cgu";

const maxLabelLength = 63;

function digest(text: string, length: number): string {
  return hash("sha256", text).slice(0, length);
}

function labelValue(name: string): string {
  return name.length <= maxLabelLength ? name : `${name.slice(0, 46)}-${digest(name, 16)}`;
}

/** Returns the labels of all ManifestWorks and PreCachingReports of a ClusterGroupUpgrade. */
export function cguLabels({ namespace, name }: CguName): Readonly<Record<string, string>> {
  return { [workLabels.cgu]: labelValue(name), [workLabels.cguNamespace]: labelValue(namespace) };
}

/**
 * Returns the suffix for the names of the objects of a run or check. On a cluster, no two runs or checks have the
 * same suffix: a Job's template cannot change, and upgrades with the same content must not share objects.
 */
export function runSuffix(run: Run | CheckRun): string {
  const { cgu, revision } = run;
  const suffix = `${revision}-${digest(`${cgu.namespace}/${cgu.name}`, 6)}`;
  if ("check" in run) return `check-${suffix}-${run.check}`;
  return run.attempt > 1 ? `${suffix}-${run.attempt}` : suffix;
}

/** Returns the name of the ManifestWork of a run or check. The ManifestWork is in the managed cluster's namespace. */
export function workName(run: Run | CheckRun): string {
  return `precache-${runSuffix(run)}`;
}

/** Reports whether a name looks like a result of `workName`. */
export function isWorkName(name: string): boolean {
  return /^precache-(?:check-)?[0-9a-f]{10}-[0-9a-f]{6}(?:-[0-9]{1,10})?$/.test(name);
}

function identityOf({ metadata }: KubernetesObject): Pick<Run, "cgu" | "revision"> | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(annotations[cguAnnotation] ?? "") ?? [];
  const revision = labels[workLabels.revision];
  return namespace && name && revision ? { cgu: { namespace, name }, revision } : undefined;
}

function numberIn({ metadata }: KubernetesObject, label: string): number | undefined {
  const number = Number(ownValue(metadata.labels, label));
  return Number.isInteger(number) && number >= 1 ? number : undefined;
}

/** Returns the run to which a ManifestWork belongs; undefined if the ManifestWork belongs to no run. */
export function runOf(work: KubernetesObject): Run | undefined {
  const attempt = numberIn(work, workLabels.attempt);
  const identity = attempt === undefined ? undefined : identityOf(work);
  return identity && attempt !== undefined ? { ...identity, attempt } : undefined;
}

/** Returns the check to which a ManifestWork belongs; undefined if the ManifestWork belongs to no check. */
export function checkRunOf(work: KubernetesObject): CheckRun | undefined {
  const check = numberIn(work, workLabels.check);
  const identity = check === undefined ? undefined : identityOf(work);
  return identity && check !== undefined ? { ...identity, check } : undefined;
}
