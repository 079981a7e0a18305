import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import {
  type ClusterRecord,
  claimed,
  keptOf,
  newRecord,
  type Records,
  releasesSlot,
} from "../precache-model/cluster-record.ts";
import { isRunningState } from "../precache-model/cluster-state.ts";
import { labelsByCluster, type PlannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { workName } from "../precache-model/work-identity.ts";
import type { Clock } from "../windows/clock.ts";
import { type Gate, gatekeeper } from "../windows/gate.ts";
import { type WindowSources, windowObstacle } from "./cluster-gates.ts";
import { limitsOf, readLimits } from "./limits.ts";
import { admit, type LimitsOf } from "./slots.ts";
import { isWaiting, runningRival, startObstacle, waitingReason } from "./start-obstacle.ts";
import { appliedStatus } from "./work/manifest-work.ts";

/** The objects besides the upgrade itself that decide which of its clusters run. */
export type Surroundings = WindowSources &
  Readonly<{
    /** The other ClusterGroupUpgrades, which may need the same clusters and registries. */
    others: readonly KubernetesObject[];
  }>;

/** A decision about a cluster's slot or Job, and the cluster's record after this decision. */
export type SlotChange = Readonly<{
  verdict: "start" | "give back" | "suspend" | "resume";
  record: ClusterRecord;
  reason: string;
}>;

export type Situation = Readonly<{
  upgrade: PlannedUpgrade;
  cgu: KubernetesObject;
  /** The records with the effects of reports, checks, retries and deadlines, as `follow` returns them. */
  records: Records;
  surroundings: Surroundings;
  /** Why no cluster may start now; undefined if clusters may start. Running clusters continue in any case. */
  startsHeldBy: string | undefined;
  /** Returns a cluster's ManifestWorks; undefined if these were not read. */
  worksOf(cluster: string): readonly KubernetesObject[] | undefined;
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
}>;

const isRunning = (record: ClusterRecord | undefined): boolean => isRunningState(record?.state);

/** Reports whether a waiting cluster may get a slot that was released between `before` and `after`. */
export function maySlotBeTaken(
  { clusters, isOver }: PlannedUpgrade,
  before: Records,
  after: Records,
): boolean {
  const isFreed = (cluster: string) => isRunning(before.get(cluster)) && !isRunning(after.get(cluster));
  return !isOver && clusters.some(isFreed) && clusters.some((cluster) => isWaiting(after.get(cluster)));
}

function givenBack(record: ClusterRecord, now: Date): ClusterRecord {
  const { suspend } = record;
  const waiting = { ...newRecord(record.attempt, now), ...keptOf(record) };
  if (suspend === undefined) return waiting;
  const message = "Its Job is suspended and waits for a slot.";
  return { ...waiting, reason: "Returned", message, suspend: true };
}

function ownWorks(
  cluster: string,
  { attempt }: ClusterRecord,
  { upgrade: { name: cgu, revision }, worksOf }: Situation,
): readonly KubernetesObject[] | undefined {
  const name = workName({ cgu, revision, attempt });
  return worksOf(cluster)?.filter(({ metadata }) => metadata.name === name);
}

/** Returns the change by which a cluster gives its slot back if its Job has not run and may not start now. */
function changeOfClaimed(
  cluster: string,
  record: ClusterRecord,
  gate: Gate,
  situation: Situation,
): SlotChange | undefined {
  const {
    surroundings: { others },
    now,
  } = situation;
  const mayExist = ownWorks(cluster, record, situation)?.length !== 0;
  if (mayExist && record.suspend === undefined) return undefined;
  const rival = runningRival(cluster, others);
  const reason = windowObstacle(gate) ?? (rival && waitingReason(rival));
  return reason === undefined ? undefined : { verdict: "give back", record: givenBack(record, now), reason };
}

/** Returns the change of a running cluster when its windows close or open; undefined if nothing changes. */
export function changeOfRunning(record: ClusterRecord, gate: Gate): SlotChange | undefined {
  if (!gate.isOpen && gate.atEnd === "Suspend" && !record.suspend)
    return { verdict: "suspend", record: { ...record, suspend: true }, reason: `${gate.reason}.` };
  if (!gate.isOpen || !record.suspend) return undefined;
  const reason = "No window restricts it now.";
  return { verdict: "resume", record: { ...record, suspend: false }, reason };
}

/** Returns the change that suspends the Job of an unreachable cluster before its slot goes to another cluster. */
function changeOfUnreached(
  record: ClusterRecord,
  works: readonly KubernetesObject[] | undefined,
): SlotChange | undefined {
  if (record.suspend || !works || works.some((work) => appliedStatus(work) !== undefined)) return undefined;
  const reason = "Its agent is unreachable, so its slot goes to another cluster.";
  return { verdict: "suspend", record: { ...record, suspend: true }, reason };
}

/** Returns a function that finds a cluster's limits in the annotations of these objects. */
export function clusterLimits(
  upgrade: PlannedUpgrade,
  annotatedObjects: readonly KubernetesObject[],
  others: readonly KubernetesObject[],
  labelsOf: ReturnType<typeof labelsByCluster>,
): LimitsOf {
  const limits = readLimits(annotatedObjects);
  const siteOf = (cluster: string) => ownValue(labelsOf(cluster), limits.site?.label ?? "");
  return limitsOf(upgrade, limits, siteOf, others);
}

/** The changes, and the reasons why other clusters wait. Keys are cluster names. */
export type SlotChanges = Readonly<{
  changes: ReadonlyMap<string, SlotChange>;
  waiting: ReadonlyMap<string, string>;
}>;

/** Returns which clusters start, stop and continue now, and why others wait. A cluster runs one upgrade at a time. */
export function slotChanges(situation: Situation): SlotChanges {
  const { upgrade, cgu, records, surroundings, now } = situation;
  const { windows, configs, managedClusters, others } = surroundings;
  const changes = new Map<string, SlotChange>();
  const waiting = new Map<string, string>();
  if (upgrade.isOver) return { changes, waiting };
  const annotatedObjects = [cgu, ...configs];
  const labelsOf = labelsByCluster(managedClusters);
  const keeper = gatekeeper(windows, ({ allow }) => allow.preCaching, situation);
  const gateOf = (cluster: string) => keeper(annotatedObjects, labelsOf(cluster));
  const changeOf = (cluster: string, record: ClusterRecord) => {
    if (record.state === "PreparingToStart")
      return changeOfClaimed(cluster, record, gateOf(cluster), situation);
    return releasesSlot(record)
      ? changeOfUnreached(record, ownWorks(cluster, record, situation))
      : changeOfRunning(record, gateOf(cluster));
  };
  for (const cluster of upgrade.clusters) {
    const record = records.get(cluster);
    const change = record && isRunning(record) ? changeOf(cluster, record) : undefined;
    if (change) changes.set(cluster, change);
  }

  const mayStart: string[] = [];
  for (const cluster of upgrade.clusters) {
    if (!isWaiting(records.get(cluster))) continue;
    const reason = situation.startsHeldBy ?? startObstacle(cgu, cluster, gateOf(cluster), others);
    if (reason === undefined) mayStart.push(cluster);
    else waiting.set(cluster, reason);
  }
  const holding = upgrade.clusters.filter(
    (cluster) => isRunning(records.get(cluster)) && changes.get(cluster)?.verdict !== "give back",
  );
  const admission = admit(mayStart, holding, clusterLimits(upgrade, annotatedObjects, others, labelsOf));
  for (const cluster of admission.admitted)
    changes.set(cluster, {
      verdict: "start",
      record: claimed(records.get(cluster), now),
      reason: "It has a slot.",
    });
  return { changes, waiting: new Map([...waiting, ...admission.waiting]) };
}
