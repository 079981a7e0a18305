import { hash } from "node:crypto";
import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** Namespace and name of a ClusterGroupUpgrade. */
export type CguName = Readonly<{ namespace: string; name: string }>;

/** One attempt to pre-cache a ClusterGroupUpgrade's content `revision` on one cluster. `attempt` counts from 1. */
export type Run = Readonly<{ cgu: CguName; revision: string; attempt: number }>;

/**
 * One check of a cluster for missing images of a ClusterGroupUpgrade's content; it pulls nothing. `check` is the start
 * time of the check in seconds of Unix time, which no other check of the cluster has.
 */
export type CheckRun = Readonly<{ cgu: CguName; revision: string; check: number }>;

/** Names of the labels that hubrelay sets on ManifestWorks. Its list requests select ManifestWorks by these labels. */
export const workLabels = {
  cgu: "hubrelay.dev/cgu",
  cguNamespace: "hubrelay.dev/cgu-namespace",
  revision: "hubrelay.dev/precache-revision",
  attempt: "hubrelay.dev/attempt",
  check: "hubrelay.dev/precache-check",
} as const;

/** Annotation with `namespace/name` of the ClusterGroupUpgrade, which may be too long for a label value. */
export const cguAnnotation = "hubrelay.dev/cgu";

const maxLabelLength = 63;

function digest(text: string, length: number): string {
  return hash("sha256", text).slice(0, length);
}

/** Returns a name as a label value; a digest keeps shortened names unique. */
function labelValue(name: string): string {
  return name.length <= maxLabelLength ? name : `${name.slice(0, 46)}-${digest(name, 16)}`;
}

/** Returns the labels of all ManifestWorks of a ClusterGroupUpgrade. */
export function cguLabels({ namespace, name }: CguName): Readonly<Record<string, string>> {
  return { [workLabels.cgu]: labelValue(name), [workLabels.cguNamespace]: labelValue(namespace) };
}

/**
 * Returns the suffix for names of a run's or check's objects. It depends on content, ClusterGroupUpgrade and attempt: a
 * Job's template cannot change, and two upgrades with the same content must not share an object. The suffix of a check
 * never equals that of a run.
 */
export function runSuffix(run: Run | CheckRun): string {
  const { cgu, revision } = run;
  const suffix = `${revision}-${digest(`${cgu.namespace}/${cgu.name}`, 6)}`;
  if ("check" in run) return `check-${suffix}-${run.check}`;
  return run.attempt > 1 ? `${suffix}-${run.attempt}` : suffix;
}

/** Returns the name of the ManifestWork of a run or a check. The ManifestWork is in the namespace of the managed cluster. */
export function workName(run: Run | CheckRun): string {
  return `precache-${runSuffix(run)}`;
}

/** Reports whether a ManifestWork's name is one that `workName` could return for a run or a check. */
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

/** Returns the run that a ManifestWork is for; undefined for any other ManifestWork. */
export function runOf(work: KubernetesObject): Run | undefined {
  const attempt = numberIn(work, workLabels.attempt);
  const identity = attempt === undefined ? undefined : identityOf(work);
  return identity && attempt !== undefined ? { ...identity, attempt } : undefined;
}

/** Returns the check that a ManifestWork is for; undefined for any other ManifestWork. */
export function checkRunOf(work: KubernetesObject): CheckRun | undefined {
  const check = numberIn(work, workLabels.check);
  const identity = check === undefined ? undefined : identityOf(work);
  return identity && check !== undefined ? { ...identity, check } : undefined;
}
