import { decidingWindows, type Gate, gateAt, type NamedWindow, nextChange } from "../../windows/gate.ts";
import type { MaintenanceWindow } from "../../windows/maintenance-window.ts";
import { isFinalState, isRunningState } from "../model/cluster-state.ts";
import { configsOf } from "../plan/values/pre-caching-config.ts";
import { type ClusterRecord, newRecord } from "../progress/cluster-record.ts";
import { nextDeadline, recordInTime } from "../progress/deadlines.ts";
import { claimed } from "../progress/follow.ts";
import { labelsByCluster } from "../progress/planned-upgrade.ts";
import type { Records } from "../progress/precaching-report.ts";
import { architectureOf } from "../progress/reported-totals.ts";
import { freeSlots } from "../slots/admission.ts";
import { gatesOnLinks } from "../slots/cluster-gates.ts";
import { linksOf, remainingDownloads, sharedLinks } from "../slots/remaining-download.ts";
import {
  changeOfRunning,
  clusterLimits,
  isWaiting,
  obstacle,
  type Situation,
} from "../slots/slot-changes.ts";
import { noDownloads, type Speed } from "./downloads.ts";
import { emptyHeap } from "./heap.ts";
import { isUnderWay, type Pulled, reported, withoutSlotIfUnreached } from "./simulated-run.ts";
import { waitingGroups, waitingLine } from "./waiting-line.ts";

/** What is assumed of clusters; undefined is unknown. */
export type Assumed = Readonly<{
  bytesTotalOf(cluster: string): number | undefined;
  speedOf(cluster: string): Speed | undefined;
  /** From a slot until the cluster pulls. */
  startMs: number;
}>;

export type SimulationInput = Omit<Situation, "worksOf" | "startsHeldBy"> & Readonly<{ assumed: Assumed }>;

/** A fleet in the future. */
export type Simulation = Readonly<{
  /** The records at the time of the last step. */
  records: Records;
  /** Goes on to the next event and returns its time; undefined when nothing happens before `end`. */
  step(end: Date): Date | undefined;
  /** Returns what clusters wait for that have not started. */
  waiting(): ReadonlyMap<string, string>;
}>;

const allowed = ({ allow }: MaintenanceWindow): boolean => allow.preCaching;

/**
 * Returns a simulation of the clusters of an upgrade from `now` on. Which clusters start, stop and continue is decided by
 * the functions that decide it on the hub; only downloads are a model, and time goes from one event to the next. Each step
 * takes a time that grows with the logarithm of the number of clusters.
 */
export function simulation(input: SimulationInput): Simulation {
  const { cgu, upgrade, surroundings, assumed } = input;
  const { name, revision, clusters, timeoutMinutes } = upgrade;
  const run = { cgu: name, revision };
  const annotatedObjects = [cgu, ...configsOf(cgu, surroundings.configs)];
  const labelsOf = labelsByCluster(surroundings.managedClusters);
  const linkOf = linksOf(annotatedObjects, labelsOf);
  const slots = freeSlots(clusterLimits(upgrade, annotatedObjects, surroundings.others, labelsOf));
  const findWindows = decidingWindows(surroundings.windows);
  const windowsOf = new Map(clusters.map((one) => [one, findWindows(annotatedObjects, labelsOf(one))]));
  const windowsFor = (cluster: string) => windowsOf.get(cluster) ?? [];

  const positions = new Map(clusters.map((cluster, index) => [cluster, index]));
  const records = new Map(
    clusters.map((cluster) => [
      cluster,
      withoutSlotIfUnreached(input.records.get(cluster) ?? newRecord(1, input.now)),
    ]),
  );
  const downloads = noDownloads();
  /** What happens at later times, apart from the ends of downloads. */
  const later = emptyHeap<() => void>();
  const gates = new Map<readonly NamedWindow[], Gate>();
  /** Clusters with a slot, by their windows. */
  const running = new Map<readonly NamedWindow[], Set<string>>();
  const suspended = new Set<string>();
  /** Clusters with a slot that may have to stop or may continue. */
  const toJudge = new Set<string>();
  let now = input.now;

  const pulledBy = (cluster: string): Pulled => {
    const { bytesDone = 0 } = records.get(cluster) ?? {};
    const bytesTotal = assumed.bytesTotalOf(cluster);
    const left = downloads.left(cluster, now.getTime());
    return {
      bytesDone: left === undefined || bytesTotal === undefined ? bytesDone : bytesTotal - left,
      bytesTotal,
    };
  };
  /** What a record says of its bytes is brought up to date when a decision reads it. */
  const upToDate = (cluster: string) => {
    const record = records.get(cluster);
    if (record && downloads.left(cluster, now.getTime()) !== undefined)
      records.set(cluster, { ...record, bytesDone: pulledBy(cluster).bytesDone });
  };
  let remainingOf = remainingDownloads(annotatedObjects, records, labelsOf);
  const knownTotals = new Map<string, number>();
  const remainingDownloadOf = (cluster: string) => {
    upToDate(cluster);
    return remainingOf(cluster);
  };
  const links = sharedLinks(remainingDownloadOf);

  /** The first report of a total says how much every other cluster of the architecture has to pull. */
  const learnTotal = (cluster: string) => {
    const architecture = architectureOf(labelsOf(cluster));
    const total = records.get(cluster)?.bytesTotal ?? 0;
    if (total <= (knownTotals.get(architecture) ?? 0)) return;
    knownTotals.set(architecture, total);
    remainingOf = remainingDownloads(annotatedObjects, records, labelsOf);
  };

  const changeGate = (windows: readonly NamedWindow[]) => {
    const gate = gateAt(windows, allowed, now);
    gates.set(windows, gate);
    for (const cluster of running.get(windows) ?? []) toJudge.add(cluster);
    line.wake(windows);
    const next = nextChange(windows, allowed, gate, now);
    if (next && unfinished(windows)) later.add(next.getTime(), () => changeGate(windows));
  };
  const remainingIn = new Map<readonly NamedWindow[], number>();
  const unfinished = (windows: readonly NamedWindow[]) => (remainingIn.get(windows) ?? 0) > 0;

  const wakeLink = (cluster: string) => {
    const site = linkOf(cluster)?.site;
    if (site === undefined) return;
    line.wake(site);
    for (const other of suspended) if (linkOf(other)?.site === site) toJudge.add(other);
  };
  const end = (cluster: string, record: ClusterRecord) => {
    links.leave(cluster);
    downloads.stop(cluster, now.getTime());
    records.set(cluster, record);
    const windows = windowsFor(cluster);
    running.get(windows)?.delete(cluster);
    remainingIn.set(windows, (remainingIn.get(windows) ?? 0) - 1);
    for (const limit of slots.release(cluster)) line.freed(limit);
    wakeLink(cluster);
  };
  /** Calls back at a later time, if the same run is still in progress then. */
  const laterInRun = (
    cluster: string,
    { started }: ClusterRecord,
    at: number,
    then: (record: ClusterRecord) => void,
  ) =>
    later.add(at, () => {
      const record = records.get(cluster);
      if (record?.started === started && record && isRunningState(record.state)) then(record);
    });
  /** A run that the cluster refuses ends by the hub's deadline. */
  const watchDeadline = (cluster: string, record: ClusterRecord) => {
    const due = nextDeadline(record, timeoutMinutes);
    if (due)
      laterInRun(cluster, record, due.getTime(), (present) =>
        end(cluster, recordInTime(present, timeoutMinutes, now)),
      );
  };
  /** A cluster whose download is unknown keeps its slot: when it ends is unknown, too. */
  const pull = (cluster: string, waitMs: number) => {
    const { bytesDone, bytesTotal } = pulledBy(cluster);
    const speed = assumed.speedOf(cluster);
    const record = records.get(cluster);
    links.use(cluster);
    if (!record || bytesTotal === undefined || speed === undefined) return;
    const jobEnds = Date.parse(record.started ?? "") + timeoutMinutes * 60_000;
    laterInRun(cluster, record, jobEnds, (present) =>
      end(cluster, reported(present, "timedOut", run, pulledBy(cluster), now)),
    );
    laterInRun(cluster, record, now.getTime() + waitMs, () =>
      downloads.begin(cluster, Math.max(0, bytesTotal - bytesDone), speed, now.getTime()),
    );
  };

  const track = (cluster: string) => {
    const windows = windowsFor(cluster);
    running.set(windows, (running.get(windows) ?? new Set()).add(cluster));
  };

  for (const [cluster, record] of records) {
    if (isFinalState(record.state)) continue;
    const windows = windowsFor(cluster);
    remainingIn.set(windows, (remainingIn.get(windows) ?? 0) + 1);
  }
  const line = waitingLine(
    clusters.filter((cluster) => isWaiting(records.get(cluster))),
    slots,
    waitingGroups(annotatedObjects, records, labelsOf, windowsFor, surroundings.others),
  );
  for (const windows of new Set(windowsOf.values())) if (unfinished(windows)) changeGate(windows);
  for (const cluster of clusters) {
    const record = records.get(cluster);
    if (!record || !isRunningState(record.state)) continue;
    slots.hold(cluster);
    track(cluster);
    if (isUnderWay(record)) {
      records.set(cluster, reported(record, "pulling", run, pulledBy(cluster), now));
      pull(cluster, 0);
    } else if (record.reason === "Suspended") suspended.add(cluster);
    else watchDeadline(cluster, record);
    toJudge.add(cluster);
  }

  /** Decides once, as a reconcile does, and returns whether anything has changed: then it has to decide again. */
  const decideOnce = (): boolean => {
    const gateOf = (cluster: string): Gate =>
      gates.get(windowsFor(cluster)) ?? gateAt(windowsFor(cluster), allowed, now);
    const atNow = gatesOnLinks(gateOf, remainingDownloadOf, links, now);
    const judged = [...toJudge].sort((a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0));
    toJudge.clear();
    const changes = judged.flatMap((cluster) => {
      const record = records.get(cluster);
      const change =
        record && isRunningState(record.state) ? changeOfRunning(cluster, record, atNow) : undefined;
      if (change?.verdict === "resume") atNow.pulls(cluster);
      return change ? [{ cluster, ...change }] : [];
    });
    const started: string[] = [];
    line.startAll(
      (cluster) => obstacle(cluster, atNow, input),
      (cluster) => {
        atNow.pulls(cluster);
        started.push(cluster);
      },
    );
    for (const { cluster, verdict, record } of changes) {
      const pulled = pulledBy(cluster);
      if (verdict === "suspend") {
        links.leave(cluster);
        downloads.stop(cluster, now.getTime());
        records.set(cluster, reported(record, "suspended", run, pulled, now));
        suspended.add(cluster);
        wakeLink(cluster);
      } else {
        suspended.delete(cluster);
        records.set(cluster, reported(record, "pulling", run, pulled, now));
        pull(cluster, assumed.startMs);
      }
    }
    for (const cluster of started) {
      records.set(
        cluster,
        reported(claimed(records.get(cluster), now), "pulling", run, pulledBy(cluster), now),
      );
      track(cluster);
      learnTotal(cluster);
      pull(cluster, assumed.startMs);
    }
    return changes.length > 0 || started.length > 0;
  };
  let isFirst = true;
  return {
    records,
    step(until) {
      const next = isFirst
        ? now.getTime()
        : Math.min(
            later.first()?.key ?? Number.POSITIVE_INFINITY,
            downloads.nextEnd() ?? Number.POSITIVE_INFINITY,
          );
      if (next > until.getTime()) return undefined;
      isFirst = false;
      now = new Date(next);
      for (const cluster of downloads.complete(next)) {
        const record = records.get(cluster);
        const bytesTotal = assumed.bytesTotalOf(cluster);
        if (record)
          end(cluster, reported(record, "succeeded", run, { bytesDone: bytesTotal ?? 0, bytesTotal }, now));
      }
      while ((later.first()?.key ?? Number.POSITIVE_INFINITY) <= next) later.take()?.();
      while (decideOnce());
      return now;
    },
    waiting: () => line.reasons(),
  };
}
