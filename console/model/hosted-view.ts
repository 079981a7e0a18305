import { eventLabels, functionLabels } from "#functions/hosted-clusters/well-known-names.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import {
  type HostedClusterReport,
  reportHostedClusters,
} from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { type Ownership, ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import { type Coverage, countedKinds, coverageOf, type Unread } from "#shared/domain/issues/coverage.ts";
import { hasErrors } from "#shared/domain/issues/issue.ts";
import { textOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";
import type { Decision } from "#shared/domain/plan/plan.ts";
import type { Query, Snapshot } from "./snapshot.ts";

/** The name of the function whose decisions and Events the page shows. */
export const hostedClustersFunction = functionLabels[functionLabel];

/** The states of a hosted cluster. The most urgent is first. */
export const hostedStates = [
  "error",
  "drift",
  "expected",
  "waiting",
  "paused",
  "compared in part",
  "written by hubrelay",
] as const;
export type HostedState = (typeof hostedStates)[number];

/** A Kubernetes Event of the hosted-clusters function. `since` is the time at which it first occurred. */
export type FunctionReport = Readonly<{
  isWarning: boolean;
  reason: string;
  message: string;
  since: Date | undefined;
}>;

function functionReport({ type, reason, message, firstTimestamp }: KubernetesObject): FunctionReport {
  const time = Date.parse(textOf(firstTimestamp) ?? "");
  return {
    isWarning: type === "Warning",
    reason: textOf(reason) ?? "",
    message: textOf(message) ?? "",
    since: Number.isNaN(time) ? undefined : new Date(time),
  };
}

/** A hosted cluster with its configuration, its Events and the decisions of the hosted-clusters function. */
export type HostedRow = Readonly<{
  /** `namespace/name`. */
  key: string;
  state: HostedState;
  version: string | undefined;
  owner: "HyperShift" | "hubrelay";
  ownerReason: string;
  report: HostedClusterReport;
  decisions: readonly Decision[];
  /** Events of the hosted-clusters function. Unlike the console, the function reads the hosted cluster's own API. */
  reports: readonly FunctionReport[];
}>;

export type HostedView = Readonly<{
  total: number;
  /** The number of hosted clusters in each state that occurs or that the address names. */
  counts: readonly Readonly<{ state: HostedState; count: number }>[];
  state: HostedState | undefined;
  /** The coverage of the states. The function and `hubrelay verify` read more than the console. */
  coverage: Coverage;
  rows: readonly HostedRow[];
  /** The name in the address, if there is no such hosted cluster; otherwise undefined. */
  missing: string | undefined;
  panel: HostedRow | undefined;
}>;

type Found = Pick<HostedRow, "report" | "decisions" | "reports"> & Readonly<{ mode: Ownership["mode"] }>;

function stateOf({ report, decisions, reports, mode }: Found): HostedState {
  if (hasErrors(report.issues)) return "error";
  // A state follows from the console's own decisions or from Events of the function, which reads more than the console.
  const isDecided = (verdict: string) => decisions.some((one) => one.verdict === verdict);
  const isReported = (ending: RegExp) => reports.some(({ reason }) => ending.test(reason));
  if (isDecided("drift") || isReported(/Drift$/)) return "drift";
  if (mode === "own") return "written by hubrelay";
  if (isDecided("paused")) return "paused";
  if (isDecided("expected") || isReported(/Expected$/)) return "expected";
  // The console does not read the hosted cluster's own API, so it compares only a part of the objects.
  return isDecided("in agreement") && !isDecided("waiting") ? "compared in part" : "waiting";
}

const guestText =
  "The console reads no Secret, so it does not see the hosted cluster's own API. What the function finds there is below, as reported by it.";

function decisionsByKey({ verifications }: Snapshot): ReadonlyMap<string, readonly Decision[]> {
  const ofFunction = verifications.filter((one) => one.function === hostedClustersFunction);
  return new Map(
    ofFunction.map(({ key, decisions }) => [
      key,
      decisions.map((one) =>
        one.subject === `${key} Guest` ? { ...one, verdict: "not read", reason: guestText } : one,
      ),
    ]),
  );
}

function hostedRows(snapshot: Snapshot): readonly HostedRow[] {
  const { list } = snapshot;
  const objects = list(kinds.HostedCluster);
  const sources = [...objects, ...[kinds.NodePool, ...mirrorRuleKinds].flatMap(list)];
  const { clusters } = reportHostedClusters(sources);
  const byKey = new Map(clusters.map((report) => [namespacedName(report), report]));
  const events = list(kinds.Event).filter(
    ({ metadata }) => metadata.labels?.[functionLabel] === hostedClustersFunction,
  );
  const decided = decisionsByKey(snapshot);
  const labelOf = (labels: Readonly<Record<string, string>> = {}) => labels["hubrelay.dev/hosted-cluster"];
  const eventsByCluster = Map.groupBy(events, ({ metadata }) => labelOf(metadata.labels));
  return objects.flatMap((object): HostedRow[] => {
    const key = namespacedName(object.metadata);
    const report = byKey.get(key);
    if (!report) return [];
    const { mode, reason: ownerReason } = ownershipOf(object, undefined);
    const decisions = decided.get(key) ?? [];
    const shown = new Set<string>(report.issues.map(({ code }) => code));
    const reports = (eventsByCluster.get(labelOf(eventLabels(key))) ?? [])
      .map(functionReport)
      .filter(({ reason }) => !shown.has(reason));
    const { version } = readHostedCluster(object).cluster;
    const owner = mode === "own" ? "hubrelay" : "HyperShift";
    const state = stateOf({ report, decisions, reports, mode });
    return [{ key, state, version, owner, ownerReason, report, decisions, reports }];
  });
}

/** Returns the coverage of the hosted clusters. The console does not read their own APIs. */
export function coverageOfHosted(objects: readonly KubernetesObject[]): Coverage {
  const verified = objects.filter((object) => ownershipOf(object, undefined).mode !== "own").length;
  const unread: readonly Unread[] = [
    { what: "API of a hosted cluster", count: verified, why: "not-checked" },
    {
      what: "what hubrelay writes for a hosted cluster",
      count: objects.length - verified,
      why: "not-checked",
    },
  ];
  const isAny = ({ count }: Readonly<{ count: number }>) => count > 0;
  return coverageOf({ read: countedKinds(objects), unread: unread.filter(isAny), assumed: [] });
}

/** Returns the content of the page about hosted clusters, for the state and cluster that the address names. */
export function hostedView(snapshot: Snapshot, query: Query): HostedView {
  const { cluster } = query;
  const chosen = hostedStates.find((one) => one === query.state);
  const all = hostedRows(snapshot).toSorted(
    (a, b) => hostedStates.indexOf(a.state) - hostedStates.indexOf(b.state),
  );
  const byState = Map.groupBy(all, ({ state }) => state);
  const panel = all.find(({ key }) => key === cluster);
  return {
    total: all.length,
    counts: hostedStates.flatMap((state) => {
      const count = byState.get(state)?.length ?? 0;
      return count > 0 || state === chosen ? [{ state, count }] : [];
    }),
    state: chosen,
    coverage: coverageOfHosted(snapshot.list(kinds.HostedCluster)),
    rows: chosen ? (byState.get(chosen) ?? []) : all,
    missing: cluster && !panel ? cluster : undefined,
    panel,
  };
}
