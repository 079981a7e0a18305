import { inspect } from "node:util";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { fieldsOf, isStringList, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { lines, printError, safe } from "../io/safe-text.ts";
import type { FunctionQueues } from "../program/function-workers.ts";
import { countOf, type HubRequests } from "./counted-hub.ts";
import { among, type Fate, fatesOf } from "./fates.ts";
import { fleetObjects } from "./fleet-objects.ts";
import { fleetQueues, startFleetSystem } from "./fleet-system.ts";
import { startFleet } from "./managed-fleet.ts";

const timeoutMinutes = 3;

export type FleetOptions = Readonly<{
  clusters: number;
  seed: number;
  /** Maximum duration of a Job, and duration of temporary offline times, in milliseconds. Default: 20 s. */
  maxJobMs?: number;
  messaging?: FunctionQueues;
  /** Called with the hub before the simulation starts. */
  onHub?: (hub: Hub) => Promise<void>;
  onStatus?: (cgu: KubernetesObject, reports: readonly KubernetesObject[]) => void;
}>;

/** The measurements of a simulation. Times are in seconds. */
export type FleetRun = Readonly<{
  requests: HubRequests;
  requestsPerCluster: number;
  /** Time from the first plan in the upgrade's status until the last cluster has its ManifestWork. */
  lastStarted: number;
  /** The 95th percentile of the time from the end of a Job until the upgrade's status shows this end. */
  known95: number;
  /** The longest time from the end of a Job until the upgrade's status shows this end. */
  knownLongest: number;
  statusWrites: number;
  peakMiB: number;
  /** Processor time of this process, which includes the simulated clusters and their hub. */
  processor: number;
  wall: number;
}>;

function wantedState({ end, offlineMs }: Fate): string {
  if (offlineMs === "never") return "PrecacheTimeout";
  return end === "fails" ? "UnrecoverableError" : "Succeeded";
}

async function followStatus(
  hub: Hub,
  fates: readonly Fate[],
  signal: AbortSignal,
  { onStatus, onLast }: Readonly<{ onStatus: (cgu: KubernetesObject) => void; onLast: () => void }>,
) {
  const clusters = fates.length;
  const reachable = fates.filter(({ offlineMs }) => offlineMs !== "never").length;
  const known = new Map<string, number>();
  let planned = 0;
  let writes = 0;
  for await (const change of hub.watch(kinds.ClusterGroupUpgrade, signal)) {
    if (change.verb === "synced") continue;
    onStatus(change.object);
    writes++;
    const precaching = fieldsOf(fieldsOf(change.object.status).precaching);
    if (planned === 0 && isStringList(precaching.clusters) && precaching.clusters.length > 0)
      planned = performance.now();
    const states = Object.entries(fieldsOf(precaching.status)).flatMap(([cluster, state]) =>
      typeof state === "string" ? [[cluster, state] as const] : [],
    );
    for (const [cluster, state] of states)
      if (isFinalState(state) && !known.has(cluster)) known.set(cluster, performance.now());
    if (known.size === clusters) return { known, planned, writes, states: Object.fromEntries(states) };
    if (known.size >= reachable) onLast();
  }
  throw new Error("the watch ended before every cluster had");
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

function ownMessaging(): Promise<EmbeddedMessaging> {
  return startEmbeddedMessaging({
    queues: fleetQueues,
    topic: "outcomes",
    visibilityTimeoutSeconds: 120,
  });
}

/**
 * Pre-caches a simulated fleet, and returns measurements. Skips the wait for clusters that stay offline, which no
 * measurement includes. Throws if a cluster does not end as its fate says, or has a wrong number of Jobs.
 */
export async function runFleet({
  clusters,
  seed,
  maxJobMs = 20_000,
  messaging,
  onHub = async () => undefined,
  onStatus = () => undefined,
}: FleetOptions): Promise<FleetRun> {
  await using cleanup = new AsyncDisposableStack();
  const fates = fatesOf({ clusters, seed, maxJobMs, offlineMs: maxJobMs });
  const items = fleetObjects(fates, { maxConcurrency: clusters, timeoutMinutes });
  const [upgrade, ...others] = items.toReversed();
  const fail = (error: unknown) => printError(safe`fleet: ${lines(inspect(error))}`);
  const queues = messaging ?? cleanup.adopt(await ownMessaging(), (own) => own.stop());
  const system = cleanup.adopt(await startFleetSystem(queues, fail), (running) => running.stop());
  const { hub, requests } = system;
  for (const object of others) hub.put(object);
  await onHub(hub);
  const stop = new AbortController();
  cleanup.defer(() => stop.abort());
  const { signal } = stop;
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 250);
  cleanup.defer(() => clearInterval(sampling));

  const fleet = startFleet(hub, among(fates), signal, fail);
  const onlyOffline = Promise.withResolvers<void>();
  const following = followStatus(hub, fates, signal, {
    onStatus: (cgu) => onStatus(cgu, hub.all(kinds.PreCachingReport)),
    onLast: onlyOffline.resolve,
  });
  const began = performance.now();
  const cpu = process.cpuUsage();
  if (upgrade) await hub.create(upgrade);
  const skip = async () => {
    await onlyOffline.promise;
    while (!signal.aborted) await system.skipToNextTick();
  };
  const failIfRunning = (error: unknown) => {
    if (!signal.aborted) fail(error);
  };
  skip().catch(failIfRunning);
  const { known, planned, writes, states } = await following;
  const wall = (performance.now() - began) / 1000;
  const { user, system: ofSystem } = process.cpuUsage(cpu);
  const processor = (user + ofSystem) / 1_000_000;

  const wrong = fates.filter((fate) => ownValue(states, fate.cluster) !== wantedState(fate));
  const [first] = wrong;
  if (first)
    throw new Error(
      `${counted(wrong.length, "cluster")} ended in a wrong state, ${first.cluster} as ${ownValue(states, first.cluster)} instead of ${wantedState(first)}`,
    );
  for (const { cluster, offlineMs } of fates) {
    const jobs = fleet.jobs.get(cluster)?.length ?? 0;
    if (jobs !== (offlineMs === "never" ? 0 : 1)) throw new Error(`${cluster} had ${jobs} Jobs`);
  }
  const late = [...fleet.reported].map(([cluster, at]) => ((known.get(cluster) ?? at) - at) / 1000);
  return {
    requests,
    requestsPerCluster: countOf(requests) / clusters,
    lastStarted: (Math.max(...fleet.seen.values()) - planned) / 1000,
    known95: percentile(late, 0.95),
    knownLongest: Math.max(...late),
    statusWrites: writes,
    peakMiB: peak / 1024 / 1024,
    processor,
    wall,
  };
}
