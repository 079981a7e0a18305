import { annotationIssue, type Issue } from "../../issues/issue.ts";
import { type KubernetesObject, withAnnotation } from "../../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../../precache-model/conditions.ts";
import { labelsByCluster, plannedUpgrade } from "../../precache-model/planned-upgrade.ts";
import { isDone } from "../../precache-model/precaching-report.ts";
import { readUpgradeSpec } from "../../precache-model/upgrade-spec.ts";
import { sentence } from "../../text/redact.ts";
import { type Clock, clockIssues, clockProblem } from "../../windows/clock.ts";
import {
  annotatedWindows,
  decidingWindows,
  gateAt,
  isWindowName,
  type NamedWindow,
  namedWindows,
  nameOf,
  unusableWindows,
  windowAnnotation,
  windowNamesOf,
} from "../../windows/gate.ts";
import type { WindowSources } from "../cluster-gates.ts";
import {
  enableAnnotation,
  enableTimeOf,
  handBackAnnotation,
  isHandedBackInWindow,
  rolloutNamesOf,
} from "./rollout-annotations.ts";

function naming(cgu: KubernetesObject, names: string): KubernetesObject {
  return withAnnotation(cgu, windowAnnotation, names);
}

function rolloutWindows(cgu: KubernetesObject, { windows, configs }: WindowSources): readonly NamedWindow[] {
  const all = namedWindows(windows);
  const names = rolloutNamesOf(cgu);
  const named = [names ? naming(cgu, names) : cgu, ...configs]
    .map((windowReferrer) => annotatedWindows(windowReferrer, all))
    .find((some) => some !== undefined);
  return named ?? [];
}

/** What to do about the rollout: nothing, `enable` it now, or `wait` until a time. */
export type HandBack = Readonly<
  | { step: "none"; issues: readonly Issue[] }
  | { step: "enable"; issues: readonly Issue[] }
  | { step: "wait"; until: Date; issues: readonly Issue[] }
>;

/** Reports whether pre-caching has ended with a success and the rollout is to be enabled now or later. */
export function isToHandBack(cgu: KubernetesObject): boolean {
  const done = storedCondition(storedConditions(cgu.status), conditionTypes.precachingSucceeded);
  const isRequested = handBackAnnotation(cgu) !== undefined;
  return isRequested && !readUpgradeSpec(cgu).enable && done?.status === "True";
}

function wrong(cgu: KubernetesObject, code: Issue["code"], message: string, remedy: string): Issue {
  return annotationIssue(cgu, enableAnnotation, { code, message, remedy });
}

type Moment = Readonly<{ at: Date | undefined; issues: readonly Issue[] }>;

/** Returns when windows let the rollout begin. Their field `allow` is ignored, because it is not about rollouts. */
function momentInWindow(cgu: KubernetesObject, sources: WindowSources, clock: Clock): Moment {
  const windows = rolloutWindows(cgu, sources);
  const missing = (message: string, remedy: string) => wrong(cgu, "EnableWindowMissing", message, remedy);
  if (windows.length === 0) {
    const message = `No window is named here or in the annotation ${windowAnnotation}.`;
    return {
      at: undefined,
      issues: [missing(message, 'Write "window=NAME" or "window=NAMESPACE/NAME".')],
    };
  }
  const closed = unusableWindows(windows).map((problem) =>
    missing(
      sentence`${problem}; it stays closed.`,
      "Create or correct the MaintenanceWindow, or name another one.",
    ),
  );
  const gate = gateAt(windows, () => true, clock);
  return { at: gate.isOpen ? clock.now : gate.opensAt, issues: closed };
}

/** Returns an error if the value of `enableAnnotation` is invalid. */
export function enableTimeIssues(cgu: KubernetesObject): readonly Issue[] {
  const value = handBackAnnotation(cgu);
  const names = windowNamesOf(naming(cgu, rolloutNamesOf(cgu) ?? ""));
  const unusable = names.find((one) => !isWindowName(one));
  if (unusable)
    return [
      wrong(
        cgu,
        "EnableTimeInvalid",
        sentence`${nameOf(unusable)} is not the name of a MaintenanceWindow.`,
        'Write "window=NAME" or "window=NAMESPACE/NAME", several separated by commas.',
      ),
    ];
  if (value === undefined || value === "now" || isHandedBackInWindow(cgu) || enableTimeOf(cgu)) return [];
  return [
    wrong(
      cgu,
      "EnableTimeInvalid",
      "The value is neither now, nor a time, nor a window.",
      'Write "now", a time such as 2026-03-02T01:00:00Z, "window" or "window=NAME".',
    ),
  ];
}

function momentOf(cgu: KubernetesObject, sources: WindowSources, clock: Clock): Moment {
  if (handBackAnnotation(cgu) === "now") return { at: clock.now, issues: [] };
  if (isHandedBackInWindow(cgu)) return momentInWindow(cgu, sources, clock);
  return { at: clockProblem(clock) ? undefined : enableTimeOf(cgu), issues: enableTimeIssues(cgu) };
}

/** Returns an issue if an upgrade waits for a window or a time while the local clock differs from the hub's clock. */
export function handBackClockIssues(
  cgu: KubernetesObject,
  sources: WindowSources,
  clock: Clock,
): readonly Issue[] {
  const { windows, configs, managedClusters } = sources;
  const find = decidingWindows(windows);
  const labelsOf = labelsByCluster(managedClusters);
  const isRestricted = (cluster: string) => find([cgu, ...configs], labelsOf(cluster)).length > 0;
  const waits =
    enableTimeOf(cgu) ??
    (rolloutWindows(cgu, sources).length > 0 || plannedUpgrade(cgu)?.clusters.some(isRestricted));
  return waits ? clockIssues(cgu, clock) : [];
}

/** Returns the time at which the rollout may begin once pre-caching is done; undefined if there is none. */
export function rolloutTime(cgu: KubernetesObject, sources: WindowSources, clock: Clock): Date | undefined {
  return handBackAnnotation(cgu) === undefined ? undefined : momentOf(cgu, sources, clock).at;
}

/**
 * Returns whether to set `enable`, which begins TALM's rollout, now or later. One successful cluster is enough: TALM
 * continues with the successful clusters.
 */
export function handBack(
  cgu: KubernetesObject,
  reports: readonly KubernetesObject[],
  sources: WindowSources,
  clock: Clock,
): HandBack {
  if (handBackAnnotation(cgu) === undefined) return { step: "none", issues: [] };
  const { at, issues } = momentOf(cgu, sources, clock);
  if (!at || !isToHandBack(cgu) || !isDone(cgu, reports)) return { step: "none", issues };
  return at <= clock.now ? { step: "enable", issues } : { step: "wait", until: at, issues };
}
