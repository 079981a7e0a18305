import { type ClusterRecord, claimed, newRecord, type Records } from "../../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../../precache-model/cluster-state.ts";
import { labelsByCluster } from "../../precache-model/planned-upgrade.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import { changeOfRunning, clusterLimits, type Situation } from "../../precache-start/slot-changes.ts";
import { freeSlots, type Limit, type Slots } from "../../precache-start/slots.ts";
import { isWaiting, startObstacle } from "../../precache-start/start-obstacle.ts";
import { decidingWindows, type Gate, gateAt, type NamedWindow, nextChange } from "../../windows/gate.ts";
import type { MaintenanceWindow } from "../../windows/maintenance-window.ts";
import { nextDeadline, recordInTime } from "../deadlines.ts";
import { noDownloads, type Speed } from "./downloads.ts";
import { emptyHeap } from "./heap.ts";
import { isUnderWay, type Pulled, reported, withoutSlotIfUnreached } from "./simulated-run.ts";
import { type WaitingLine, waitingGroups, waitingLine } from "./waiting-line.ts";

/** What a simulation assumes about clusters. Functions return undefined for an unknown value. */
export type Assumed = Readonly<{
  bytesTotalOf(cluster: string): number | undefined;
  speedOf(cluster: string): Speed | undefined;
  /** Milliseconds from the time at which a cluster gets a slot until it begins to pull. */
  startMs: number;
}>;

export type SimulationInput = Omit<Situation, "worksOf" | "startsHeldBy"> & Readonly<{ assumed: Assumed }>;

/** A simulation of a fleet from now on, advanced in steps. */
export type Simulation = Readonly<{
  /** The records at the time of the last step. */
  records: Records;
  /** Advances to the next event and returns its time; undefined if there is none until `end`. */
  step(end: Date): Date | undefined;
  /** Returns the clusters that have not started, each with the reason why it waits. */
  waiting(): ReadonlyMap<string, string>;
  /** Returns the limits that some cluster has waited for. */
  fullLimits(): readonly Limit[];
}>;

const allowed = ({ allow }: MaintenanceWindow): boolean => allow.preCaching;

type WindowGroup = {
  readonly windows: readonly NamedWindow[];
  gate: Gate;
  unfinished: number;
  readonly running: Set<string>;
};

function windowGroups(
  records: Records,
  windowsOf: (cluster: string) => WindowGroup["windows"],
  now: Date,
): (cluster: string) => WindowGroup {
  const newGroup = (windows: WindowGroup["windows"]): WindowGroup => ({
    windows,
    gate: gateAt(windows, allowed, { now }),
    unfinished: 0,
    running: new Set(),
  });
  const groups = new Map<WindowGroup["windows"], WindowGroup>();
  const byCluster = new Map<string, WindowGroup>();
  for (const [cluster, { state }] of records) {
    const windows = windowsOf(cluster);
    const group = groups.get(windows) ?? newGroup(windows);
    if (!isFinalState(state)) group.unfinished++;
    groups.set(windows, group);
    byCluster.set(cluster, group);
  }
  return (cluster) => byCluster.get(cluster) ?? newGroup([]);
}

const timeOf = (entry: Readonly<{ key: number }> | undefined): number =>
  entry?.key ?? Number.POSITIVE_INFINITY;

/** The hub's own functions decide which clusters start, stop and continue; only downloads are modeled. */
class SimulatedFleet implements Simulation {
  readonly records: Map<string, ClusterRecord>;
  readonly #input: SimulationInput;
  readonly #groupOf: (cluster: string) => WindowGroup;
  readonly #slots: Slots;
  readonly #line: WaitingLine;
  readonly #downloads = noDownloads();
  /** Functions to call at future events: all events except the ends of downloads. Keys are times in milliseconds. */
  readonly #later = emptyHeap<() => void>();
  #now: Date;
  #isFirst = true;

  constructor(input: SimulationInput) {
    const { cgu, upgrade, surroundings, now } = input;
    const { clusters } = upgrade;
    const { others } = surroundings;
    this.#input = input;
    this.#now = now;
    const annotatedObjects = [cgu, ...configsOf(cgu, surroundings.configs)];
    const labelsOf = labelsByCluster(surroundings.managedClusters);
    this.#slots = freeSlots(clusterLimits(upgrade, annotatedObjects, others, labelsOf));
    this.records = new Map(
      clusters.map((cluster) => [
        cluster,
        withoutSlotIfUnreached(input.records.get(cluster) ?? newRecord(1, now)),
      ]),
    );
    const findWindows = decidingWindows(surroundings.windows);
    this.#groupOf = windowGroups(this.records, (one) => findWindows(annotatedObjects, labelsOf(one)), now);
    this.#line = waitingLine(
      clusters.filter((cluster) => isWaiting(this.records.get(cluster))),
      this.#slots,
      waitingGroups(annotatedObjects, labelsOf, (one) => this.#groupOf(one).windows, others),
    );
    this.#begin();
  }

  #begin(): void {
    for (const [cluster, record] of this.records) {
      if (!isRunningState(record.state)) continue;
      this.#slots.hold(cluster);
      this.#groupOf(cluster).running.add(cluster);
      if (isUnderWay(record)) {
        this.#report(cluster, record, "pulling");
        this.#pull(cluster, 0);
      } else if (record.reason !== "Suspended") this.#watchDeadline(cluster, record);
    }
    for (const group of new Set(this.#input.upgrade.clusters.map(this.#groupOf)))
      if (group.unfinished > 0) this.#changeGate(group);
  }

  step(until: Date): Date | undefined {
    const ends = this.#downloads.nextEnd() ?? Number.POSITIVE_INFINITY;
    const next = this.#isFirst ? this.#now.getTime() : Math.min(timeOf(this.#later.first()), ends);
    if (next > until.getTime()) return undefined;
    this.#isFirst = false;
    this.#now = new Date(next);
    for (const cluster of this.#downloads.complete(next)) {
      const record = this.records.get(cluster);
      const bytesTotal = this.#input.assumed.bytesTotalOf(cluster);
      if (record)
        this.#end(cluster, this.#reported(record, "succeeded", { bytesDone: bytesTotal ?? 0, bytesTotal }));
    }
    while (timeOf(this.#later.first()) <= next) this.#later.take()?.();
    const { cgu, surroundings } = this.#input;
    this.#line.startAll(
      (cluster) => startObstacle(cgu, cluster, this.#groupOf(cluster).gate, surroundings.others),
      (cluster) => this.#start(cluster),
    );
    return this.#now;
  }

  waiting(): ReadonlyMap<string, string> {
    return this.#line.reasons();
  }

  fullLimits(): readonly Limit[] {
    return this.#line.fullLimits();
  }

  #pulledBy(cluster: string): Pulled {
    const { bytesDone = 0 } = this.records.get(cluster) ?? {};
    const bytesTotal = this.#input.assumed.bytesTotalOf(cluster);
    const left = this.#downloads.left(cluster, this.#now.getTime());
    const isKnown = left !== undefined && bytesTotal !== undefined;
    return { bytesDone: isKnown ? bytesTotal - left : bytesDone, bytesTotal };
  }

  #start(cluster: string): void {
    this.#report(cluster, claimed(this.records.get(cluster), this.#now), "pulling");
    this.#groupOf(cluster).running.add(cluster);
    this.#pull(cluster, this.#input.assumed.startMs);
  }

  #suspend(cluster: string, record: ClusterRecord): void {
    this.#report(cluster, record, "suspended");
    this.#downloads.stop(cluster, this.#now.getTime());
  }

  #resume(cluster: string, record: ClusterRecord): void {
    this.#report(cluster, record, "pulling");
    this.#pull(cluster, this.#input.assumed.startMs);
  }

  #end(cluster: string, record: ClusterRecord): void {
    this.#downloads.stop(cluster, this.#now.getTime());
    this.records.set(cluster, record);
    const group = this.#groupOf(cluster);
    group.running.delete(cluster);
    group.unfinished--;
    for (const limit of this.#slots.release(cluster)) this.#line.freed(limit);
  }

  /** Plans a cluster's download. If its size or speed is unknown, the cluster keeps its slot forever. */
  #pull(cluster: string, waitMs: number): void {
    const { assumed, upgrade } = this.#input;
    const { bytesDone, bytesTotal } = this.#pulledBy(cluster);
    const speed = assumed.speedOf(cluster);
    const record = this.records.get(cluster);
    if (!record || bytesTotal === undefined || speed === undefined) return;
    const jobEnds = Date.parse(record.started ?? "") + upgrade.timeoutMinutes * 60_000;
    this.#laterInRun(cluster, record, jobEnds, (present) =>
      this.#end(cluster, this.#reported(present, "timedOut", this.#pulledBy(cluster))),
    );
    this.#laterInRun(cluster, record, this.#now.getTime() + waitMs, () =>
      this.#downloads.begin(cluster, Math.max(0, bytesTotal - bytesDone), speed, this.#now.getTime()),
    );
  }

  /** Lets the hub's deadline end the run of a cluster that refuses the run's objects or is unreachable. */
  #watchDeadline(cluster: string, record: ClusterRecord): void {
    const { timeoutMinutes } = this.#input.upgrade;
    const due = nextDeadline(record, timeoutMinutes);
    if (due)
      this.#laterInRun(cluster, record, due.getTime(), (present) =>
        this.#end(cluster, recordInTime(present, timeoutMinutes, this.#now)),
      );
  }

  /** Calls `then` at the time `at` if the same run is still in progress. */
  #laterInRun(
    cluster: string,
    { started }: ClusterRecord,
    at: number,
    then: (record: ClusterRecord) => void,
  ): void {
    this.#later.add(at, () => {
      const record = this.records.get(cluster);
      if (record?.started === started && record && isRunningState(record.state)) then(record);
    });
  }

  #reported(record: ClusterRecord, state: Parameters<typeof reported>[1], pulled: Pulled): ClusterRecord {
    const { name: cgu, revision } = this.#input.upgrade;
    return reported(record, state, { cgu, revision }, pulled, this.#now);
  }

  #report(cluster: string, record: ClusterRecord, state: Parameters<typeof reported>[1]): void {
    this.records.set(cluster, this.#reported(record, state, this.#pulledBy(cluster)));
  }

  #changeGate(group: WindowGroup): void {
    const { windows } = group;
    group.gate = gateAt(windows, allowed, { now: this.#now });
    for (const cluster of group.running) {
      const record = this.records.get(cluster);
      const change = record && changeOfRunning(record, group.gate);
      if (change?.verdict === "suspend") this.#suspend(cluster, change.record);
      if (change?.verdict === "resume") this.#resume(cluster, change.record);
    }
    this.#line.wake(windows);
    const next = nextChange(windows, allowed, group.gate, this.#now);
    if (next && group.unfinished > 0) this.#later.add(next.getTime(), () => this.#changeGate(group));
  }
}

/** Returns a simulation of an upgrade's clusters from `now` on. */
export function simulation(input: SimulationInput): Simulation {
  return new SimulatedFleet(input);
}
