import { annotationIssue, type Issue } from "../../issues/issue.ts";
import { ownValue } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, withAnnotation } from "../../kubernetes/object.ts";
import { isFinalState } from "../../precache-model/cluster-state.ts";
import { conditionTypes, storedCondition, storedConditions } from "../../precache-model/conditions.ts";
import { plannedUpgrade } from "../../precache-model/planned-upgrade.ts";
import { isDone } from "../../precache-model/precaching-report.ts";
import { readUpgradeSpec } from "../../precache-model/upgrade-spec.ts";
import { sentence } from "../../text/redact.ts";
import { type Clock, clockIssues, clockProblem } from "../../windows/clock.ts";
import {
  annotatedWindows,
  gateAt,
  isWindowName,
  type NamedWindow,
  namedWindows,
  nameOf,
  selectedWindows,
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

/** A set of windows; one open window is enough. */
export type WindowChoice = readonly NamedWindow[];

/** A cluster that no window selects is not restricted, and a failed cluster is not rolled out. */
function choicesOfClusters(
  cgu: KubernetesObject,
  managedClusters: readonly KubernetesObject[],
  windows: readonly NamedWindow[],
): readonly WindowChoice[] {
  const { clusters = [], states = {} } = plannedUpgrade(cgu) ?? {};
  const rolledOut = new Set(
    clusters.filter(
      (cluster) => ownValue(states, cluster) === "Succeeded" || !isFinalState(ownValue(states, cluster)),
    ),
  );
  const choices = new Map<string, WindowChoice>();
  for (const { metadata } of managedClusters) {
    const selected = rolledOut.has(metadata.name) ? selectedWindows(metadata.labels, windows) : [];
    if (selected.length > 0) choices.set(selected.map(nameOf).join(), selected);
  }
  return [...choices.values()];
}

function naming(cgu: KubernetesObject, names: string): KubernetesObject {
  return withAnnotation(cgu, windowAnnotation, names);
}

/**
 * The windows come from `names`, otherwise from the annotation of the ClusterGroupUpgrade or of its PreCachingConfig,
 * otherwise from the labels of planned clusters that have not failed. One window of each choice has to be open at the
 * same time.
 */
function rolloutChoices(
  cgu: KubernetesObject,
  names: string | undefined,
  { windows, configs, managedClusters }: WindowSources,
): readonly WindowChoice[] {
  const all = namedWindows(windows);
  const named = [names ? naming(cgu, names) : cgu, ...configs]
    .map((windowReferrer) => annotatedWindows(windowReferrer, all))
    .find((some) => some !== undefined);
  return named ? [named] : choicesOfClusters(cgu, managedClusters, all);
}

const maxTried = 120;

/**
 * The first moment from now on at which every choice has an open window. Undefined without one among the next openings,
 * and when the clock disagrees with the hub's. `allow` has no effect here, because it is about pre-caching and mirrors.
 */
function commonOpening(choices: readonly WindowChoice[], clock: Clock): Date | undefined {
  let at = clock.now;
  for (let tried = 0; tried < maxTried; tried++) {
    const closed = choices
      .map((choice) => gateAt(choice, () => true, { ...clock, now: at }))
      .find((gate) => !gate.isOpen);
    if (!closed) return at;
    if (!closed.opensAt) return undefined;
    at = closed.opensAt;
  }
  return undefined;
}

/** The next step: none, `enable` now, or `wait` until a time; with issues of the annotation. */
export type HandBack = Readonly<
  | { step: "none"; issues: readonly Issue[] }
  | { step: "enable"; issues: readonly Issue[] }
  | { step: "wait"; until: Date; issues: readonly Issue[] }
>;

/** Reports whether the rollout has to be enabled: pre-caching has ended with a successful cluster, and `enable` is false. */
export function isToHandBack(cgu: KubernetesObject): boolean {
  const done = storedCondition(storedConditions(cgu.status), conditionTypes.precachingSucceeded);
  const isRequested = handBackAnnotation(cgu) !== undefined;
  return isRequested && !readUpgradeSpec(cgu).enable && done?.status === "True";
}

function wrong(cgu: KubernetesObject, code: Issue["code"], message: string, remedy: string): Issue {
  return annotationIssue(cgu, enableAnnotation, { code, message, remedy });
}

type Moment = Readonly<{ at: Date | undefined; issues: readonly Issue[] }>;

function momentInWindow(cgu: KubernetesObject, sources: WindowSources, clock: Clock): Moment {
  const choices = rolloutChoices(cgu, rolloutNamesOf(cgu), sources);
  // Only the plan shows whether a window selects its clusters.
  if (choices.length === 0 && !plannedUpgrade(cgu)) return { at: undefined, issues: [] };
  if (choices.length === 0)
    return {
      at: undefined,
      issues: [
        wrong(
          cgu,
          "EnableWindowMissing",
          `No window is named here or in the annotation ${windowAnnotation}, and none selects its clusters.`,
          'Write "window=NAME" or "window=NAMESPACE/NAME".',
        ),
      ],
    };
  const closed = choices
    .flat()
    .flatMap((one) =>
      "problem" in one
        ? [
            wrong(
              cgu,
              "EnableWindowMissing",
              sentence`${nameOf(one)} stays closed: ${one.problem}.`,
              "Create or correct the MaintenanceWindow, or name another one.",
            ),
          ]
        : [],
    );
  const at = commonOpening(choices, clock);
  const isApart = at === undefined && choices.length > 1 && !clockProblem(clock);
  const apart = wrong(
    cgu,
    "EnableWindowsApart",
    sentence`The windows of its clusters are not open at the same time in the coming openings: ${choices.map((choice) => choice.map(nameOf).join(" or ")).join("; ")}.`,
    'Write "window=NAME", or create a ClusterGroupUpgrade for the clusters of each window.',
  );
  return { at, issues: isApart ? [...closed, apart] : closed };
}

/** Returns the error about an invalid value of the annotation. */
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

/** Returns the issue of an upgrade that waits for a window or a time while the clock disagrees with the hub's. */
export function handBackClockIssues(
  cgu: KubernetesObject,
  sources: WindowSources,
  clock: Clock,
): readonly Issue[] {
  const waits = enableTimeOf(cgu) ?? rolloutChoices(cgu, rolloutNamesOf(cgu), sources).length > 0;
  return waits ? clockIssues(cgu, clock) : [];
}

/** Returns when the rollout may begin after pre-caching; undefined without the annotation, and when no window opens. */
export function rolloutTime(cgu: KubernetesObject, sources: WindowSources, clock: Clock): Date | undefined {
  return handBackAnnotation(cgu) === undefined ? undefined : momentOf(cgu, sources, clock).at;
}

/**
 * Decides about `enable` once pre-caching has ended with at least one successful cluster: TALM continues with the
 * successful clusters. When all clusters failed, there is nothing to roll out. One open window of the named ones is
 * enough, and a missing window counts as closed. `reports` are the PreCachingReports.
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
