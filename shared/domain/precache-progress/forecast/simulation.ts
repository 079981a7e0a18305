import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type ClusterRecord, claimed, newRecord, type Records } from "../../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../../precache-model/cluster-state.ts";
import { labelsByCluster } from "../../precache-model/planned-upgrade.ts";
import { architectureOf } from "../../precache-model/reported-totals.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import { freeSlots, type Slots } from "../../precache-start/admission.ts";
import { type ClusterGates, gatesOnLinks } from "../../precache-start/cluster-gates.ts";
import {
  linksOf,
  type RemainingDownload,
  remainingDownloads,
  sharedLinks,
} from "../../precache-start/remaining-download.ts";
import {
  changeOfRunning,
  clusterLimits,
  isWaiting,
  obstacle,
  type Situation,
  type SlotChange,
} from "../../precache-start/slot-changes.ts";
import { decidingWindows, type Gate, gateAt, type NamedWindow, nextChange } from "../../windows/gate.ts";
import type { MaintenanceWindow } from "../../windows/maintenance-window.ts";
import { nextDeadline, recordInTime } from "../deadlines.ts";
import { noDownloads, type Speed } from "./downloads.ts";
import { emptyHeap } from "./heap.ts";
import { isUnderWay, type Pulled, reported, withoutSlotIfUnreached } from "./simulated-run.ts";
import { type WaitingLine, waitingGroups, waitingLine } from "./waiting-line.ts";

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

type Windows = readonly NamedWindow[];

const timeOf = (entry: Readonly<{ key: number }> | undefined): number =>
  entry?.key ?? Number.POSITIVE_INFINITY;

/**
 * A simulation of the clusters of an upgrade from `now` on. Which clusters start, stop and continue is decided by the
 * functions that decide it on the hub; only downloads are a model, and time goes from one event to the next. Each step
 * takes a time that grows with the logarithm of the number of clusters.
 */
class SimulatedFleet implements Simulation {
  readonly records: Map<string, ClusterRecord>;
  readonly #input: SimulationInput;
  readonly #annotatedObjects: readonly KubernetesObject[];
  readonly #labelsOf: ReturnType<typeof labelsByCluster>;
  readonly #linkOf: ReturnType<typeof linksOf>;
  readonly #windowsOf: ReadonlyMap<string, Windows>;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #slots: Slots;
  readonly #line: WaitingLine;
  readonly #downloads = noDownloads();
  readonly #links = sharedLinks((cluster) => this.#remainingDownloadOf(cluster));
  /** What happens at later times, apart from the ends of downloads. */
  readonly #later = emptyHeap<() => void>();
  readonly #gates = new Map<Windows, Gate>();
  /** How many clusters have not ended, and which of them have a slot, by their windows. */
  readonly #unfinished = new Map<Windows, number>();
  readonly #running = new Map<Windows, Set<string>>();
  readonly #suspended = new Set<string>();
  /** Clusters with a slot that may have to stop or may continue. */
  readonly #toJudge = new Set<string>();
  readonly #knownTotals = new Map<string, number>();
  #remainingOf: ReturnType<typeof remainingDownloads>;
  #now: Date;
  #isFirst = true;

  constructor(input: SimulationInput) {
    const { cgu, upgrade, surroundings, now } = input;
    const { clusters } = upgrade;
    const { others } = surroundings;
    this.#input = input;
    this.#now = now;
    const annotatedObjects = [cgu, ...configsOf(cgu, surroundings.configs)];
    this.#annotatedObjects = annotatedObjects;
    this.#labelsOf = labelsByCluster(surroundings.managedClusters);
    this.#linkOf = linksOf(annotatedObjects, this.#labelsOf);
    this.#slots = freeSlots(clusterLimits(upgrade, annotatedObjects, others, this.#labelsOf));
    const findWindows = decidingWindows(surroundings.windows);
    this.#windowsOf = new Map(
      clusters.map((one) => [one, findWindows(annotatedObjects, this.#labelsOf(one))]),
    );
    this.#positions = new Map(clusters.map((cluster, index) => [cluster, index]));
    this.records = new Map(
      clusters.map((cluster) => [
        cluster,
        withoutSlotIfUnreached(input.records.get(cluster) ?? newRecord(1, now)),
      ]),
    );
    this.#remainingOf = remainingDownloads(annotatedObjects, this.records, this.#labelsOf);
    this.#line = waitingLine(
      clusters.filter((cluster) => isWaiting(this.records.get(cluster))),
      this.#slots,
      waitingGroups(annotatedObjects, this.records, this.#labelsOf, (one) => this.#windowsFor(one), others),
    );
    this.#begin();
  }

  /** Takes the clusters as they are: their windows, and what runs already. */
  #begin(): void {
    for (const [cluster, record] of this.records)
      if (!isFinalState(record.state)) this.#countUnfinished(this.#windowsFor(cluster), 1);
    for (const windows of new Set(this.#windowsOf.values()))
      if (this.#isUnfinished(windows)) this.#changeGate(windows);
    for (const [cluster, record] of this.records) {
      if (!isRunningState(record.state)) continue;
      this.#slots.hold(cluster);
      this.#track(cluster);
      if (isUnderWay(record)) {
        this.#report(cluster, record, "pulling");
        this.#pull(cluster, 0);
      } else if (record.reason === "Suspended") this.#suspended.add(cluster);
      else this.#watchDeadline(cluster, record);
      this.#toJudge.add(cluster);
    }
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
    while (this.#decideOnce());
    return this.#now;
  }

  waiting(): ReadonlyMap<string, string> {
    return this.#line.reasons();
  }

  /** Decides once, as a reconcile does, and returns whether anything has changed: then it has to decide again. */
  #decideOnce(): boolean {
    const gateOf = (cluster: string): Gate => {
      const windows = this.#windowsFor(cluster);
      return this.#gates.get(windows) ?? gateAt(windows, allowed, { now: this.#now });
    };
    const remainingDownloadOf = (cluster: string) => this.#remainingDownloadOf(cluster);
    const atNow = gatesOnLinks(gateOf, remainingDownloadOf, this.#links, this.#now);
    const changes = this.#changesOfRunning(atNow);
    const started: string[] = [];
    this.#line.startAll(
      (cluster) => obstacle(cluster, atNow, this.#input),
      (cluster) => {
        atNow.pulls(cluster);
        started.push(cluster);
      },
    );
    for (const { cluster, verdict, record } of changes)
      if (verdict === "suspend") this.#suspend(cluster, record);
      else this.#resume(cluster, record);
    for (const cluster of started) this.#start(cluster);
    return changes.length > 0 || started.length > 0;
  }

  /** Returns what changes for clusters with a slot, in the order of the plan. */
  #changesOfRunning(atNow: ClusterGates): readonly (SlotChange & Readonly<{ cluster: string }>)[] {
    const positionOf = (cluster: string) => this.#positions.get(cluster) ?? 0;
    const judged = [...this.#toJudge].sort((a, b) => positionOf(a) - positionOf(b));
    this.#toJudge.clear();
    return judged.flatMap((cluster) => {
      const record = this.records.get(cluster);
      const isRunning = record && isRunningState(record.state);
      const change = isRunning ? changeOfRunning(cluster, record, atNow) : undefined;
      if (change?.verdict === "resume") atNow.pulls(cluster);
      return change ? [{ cluster, ...change }] : [];
    });
  }

  #start(cluster: string): void {
    this.#report(cluster, claimed(this.records.get(cluster), this.#now), "pulling");
    this.#track(cluster);
    this.#learnTotal(cluster);
    this.#pull(cluster, this.#input.assumed.startMs);
  }

  #suspend(cluster: string, record: ClusterRecord): void {
    const pulled = this.#pulledBy(cluster);
    this.#links.leave(cluster);
    this.#downloads.stop(cluster, this.#now.getTime());
    this.records.set(cluster, this.#reported(record, "suspended", pulled));
    this.#suspended.add(cluster);
    this.#wakeLink(cluster);
  }

  #resume(cluster: string, record: ClusterRecord): void {
    this.#suspended.delete(cluster);
    this.#report(cluster, record, "pulling");
    this.#pull(cluster, this.#input.assumed.startMs);
  }

  #end(cluster: string, record: ClusterRecord): void {
    this.#links.leave(cluster);
    this.#downloads.stop(cluster, this.#now.getTime());
    this.records.set(cluster, record);
    const windows = this.#windowsFor(cluster);
    this.#running.get(windows)?.delete(cluster);
    this.#countUnfinished(windows, -1);
    for (const limit of this.#slots.release(cluster)) this.#line.freed(limit);
    this.#wakeLink(cluster);
  }

  /** A cluster whose download is unknown keeps its slot: when it ends is unknown, too. */
  #pull(cluster: string, waitMs: number): void {
    const { assumed, upgrade } = this.#input;
    const { bytesDone, bytesTotal } = this.#pulledBy(cluster);
    const speed = assumed.speedOf(cluster);
    const record = this.records.get(cluster);
    this.#links.use(cluster);
    if (!record || bytesTotal === undefined || speed === undefined) return;
    const jobEnds = Date.parse(record.started ?? "") + upgrade.timeoutMinutes * 60_000;
    this.#laterInRun(cluster, record, jobEnds, (present) =>
      this.#end(cluster, this.#reported(present, "timedOut", this.#pulledBy(cluster))),
    );
    this.#laterInRun(cluster, record, this.#now.getTime() + waitMs, () =>
      this.#downloads.begin(cluster, Math.max(0, bytesTotal - bytesDone), speed, this.#now.getTime()),
    );
  }

  /** A run that the cluster refuses ends by the hub's deadline. */
  #watchDeadline(cluster: string, record: ClusterRecord): void {
    const { timeoutMinutes } = this.#input.upgrade;
    const due = nextDeadline(record, timeoutMinutes);
    if (due)
      this.#laterInRun(cluster, record, due.getTime(), (present) =>
        this.#end(cluster, recordInTime(present, timeoutMinutes, this.#now)),
      );
  }

  /** Calls back at a later time, if the same run is still in progress then. */
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

  #pulledBy(cluster: string): Pulled {
    const { bytesDone = 0 } = this.records.get(cluster) ?? {};
    const bytesTotal = this.#input.assumed.bytesTotalOf(cluster);
    const left = this.#downloads.left(cluster, this.#now.getTime());
    const isKnown = left !== undefined && bytesTotal !== undefined;
    return { bytesDone: isKnown ? bytesTotal - left : bytesDone, bytesTotal };
  }

  /** What a record says of its bytes is brought up to date when a decision reads it. */
  #remainingDownloadOf(cluster: string): RemainingDownload | undefined {
    const record = this.records.get(cluster);
    if (record && this.#downloads.left(cluster, this.#now.getTime()) !== undefined)
      this.records.set(cluster, { ...record, bytesDone: this.#pulledBy(cluster).bytesDone });
    return this.#remainingOf(cluster);
  }

  /** The first report of a total says how much every other cluster of the architecture has to pull. */
  #learnTotal(cluster: string): void {
    const architecture = architectureOf(this.#labelsOf(cluster));
    const total = this.records.get(cluster)?.bytesTotal ?? 0;
    if (total <= (this.#knownTotals.get(architecture) ?? 0)) return;
    this.#knownTotals.set(architecture, total);
    this.#remainingOf = remainingDownloads(this.#annotatedObjects, this.records, this.#labelsOf);
  }

  #changeGate(windows: Windows): void {
    const gate = gateAt(windows, allowed, { now: this.#now });
    this.#gates.set(windows, gate);
    for (const cluster of this.#running.get(windows) ?? []) this.#toJudge.add(cluster);
    this.#line.wake(windows);
    const next = nextChange(windows, allowed, gate, this.#now);
    if (next && this.#isUnfinished(windows)) this.#later.add(next.getTime(), () => this.#changeGate(windows));
  }

  #wakeLink(cluster: string): void {
    const site = this.#linkOf(cluster)?.site;
    if (site === undefined) return;
    this.#line.wake(site);
    for (const other of this.#suspended) if (this.#linkOf(other)?.site === site) this.#toJudge.add(other);
  }

  #windowsFor(cluster: string): Windows {
    return this.#windowsOf.get(cluster) ?? [];
  }

  #track(cluster: string): void {
    const windows = this.#windowsFor(cluster);
    this.#running.set(windows, (this.#running.get(windows) ?? new Set()).add(cluster));
  }

  #isUnfinished(windows: Windows): boolean {
    return (this.#unfinished.get(windows) ?? 0) > 0;
  }

  #countUnfinished(windows: Windows, more: number): void {
    this.#unfinished.set(windows, (this.#unfinished.get(windows) ?? 0) + more);
  }
}

/** Returns a simulation of the clusters of an upgrade from `now` on. */
export function simulation(input: SimulationInput): Simulation {
  return new SimulatedFleet(input);
}
