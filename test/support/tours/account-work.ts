import { resync } from "#functions/resync/resync.ts";
import { reportHeartbeat } from "#functions/resync/ticks.ts";
import { allWatches } from "#functions/watches.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { leaseCandidate, podIdentity } from "#shared/runtime/forwarder/lease-candidate.ts";
import { watchHub } from "../../../console/server/watched-hub.ts";
import { heldQueue } from "../messages/held-queue.ts";
import { tourOfHostedClusters, withHandedOverCluster } from "./hosted-clusters-tour.ts";
import { tourOfMirrorConfig } from "./mirror-config-tour.ts";
import { tourOfPrecachePlan } from "./precache-plan-tour.ts";
import {
  tourOfFleetReport,
  tourOfMaintenanceWindow,
  tourOfPrecacheCluster,
  tourOfPrecacheReady,
  tourOfPrecacheStatus,
} from "./precache-tour.ts";

const lease = { namespace: "hubrelay", name: "hubrelay-forwarder" };

/** A queue that accepts everything at once. */
function openQueue(name: string) {
  const { queue, open } = heldQueue(name);
  open();
  return queue;
}

/**
 * Takes the Lease over from a pod that is gone, forwards everything present, watches until `watched` resolves, and releases
 * the Lease.
 */
async function forwardFor(hub: Hub, watched: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const synced = Promise.withResolvers<void>();
  const now = () => new Date();
  const identity = podIdentity({ name: "forwarder-gone", uid: "gone" });
  const elapsedMs = () => performance.now();
  await leaseCandidate({ hub, lease, identity, durationMs: 60_000, now, elapsedMs }).hold();
  const election = {
    hub,
    lease,
    process: "forward",
    identity: "pod-a",
    signal: stop.signal,
    now,
    log: () => undefined,
  };
  await whileLeading(election, async (signal) => {
    const log: Log = ({ event }) => {
      if (event === "synced") synced.resolve();
    };
    const forwarding = forwardChanges({ hub, allWatches, queue: openQueue, signal, log, now });
    await synced.promise;
    await watched();
    stop.abort();
    await forwarding;
  });
}

/** Watches everything that the console's pages show, and asks whether the hub responds. */
async function showPagesOf(hub: Hub, watched: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const pages = watchHub(hub, stop.signal);
  await pages.snapshot();
  await pages.ask();
  await watched();
  stop.abort();
  await pages.ended;
}

/**
 * The purpose of each account of `infra/hub-rbac`: `work` makes every request that its process ever makes, over a hub
 * with the account's permissions, while `person` may do everything. The hub is empty except for the namespace `team-a`.
 * What only watches ends when `watched` resolves.
 */
export const accountWork: readonly Readonly<{
  account: string;
  work(hub: Hub, person: Hub, watched: () => Promise<void>): Promise<unknown>;
}>[] = [
  {
    account: "hubrelay-forwarder",
    work: async (hub, person, watched) => {
      await tourOfFleetReport(hub, person);
      await forwardFor(hub, watched);
    },
  },
  { account: "hubrelay-console", work: (hub, _person, watched) => showPagesOf(hub, watched) },
  {
    account: "hubrelay-resync",
    work: async (hub, person) => {
      await reportHeartbeat({ hub, lease, log: () => undefined, now: () => new Date() });
      await tourOfFleetReport(hub, person);
      await withHandedOverCluster(person, "team-a", () => resync(hub, allWatches, openQueue, new Date()));
    },
  },
  {
    account: "hubrelay-hosted-clusters",
    work: (hub, person) => tourOfHostedClusters({ hub, person, namespace: "team-a" }),
  },
  {
    account: "hubrelay-maintenance-window",
    work: (hub, person) => tourOfMaintenanceWindow(hub, person),
  },
  {
    account: "hubrelay-mirror-config",
    work: (hub, person) => tourOfMirrorConfig({ hub, person, namespace: "team-a" }),
  },
  {
    account: "hubrelay-precache-cluster",
    work: (hub, person) => tourOfPrecacheCluster(hub, person, "team-a"),
  },
  {
    account: "hubrelay-precache-plan",
    work: (hub, person) => tourOfPrecachePlan(hub, person, "team-a"),
  },
  {
    account: "hubrelay-precache-ready",
    work: (hub, person) => tourOfPrecacheReady(hub, person, "team-a"),
  },
  {
    account: "hubrelay-precache-status",
    work: (hub, person) => tourOfPrecacheStatus(hub, person, "team-a"),
  },
];

/**
 * Requested everywhere and permitted only in the namespaces of some control planes and for the hub's pull secret, by a
 * RoleBinding of an administrator, in the words of `accessText`. The function continues where it is refused.
 */
export const permittedByPeople =
  /^get \S+ \S+ [-a-z0-9.]+ in (?:team-a-tour|clusters-own)$|^get \S* ?secrets pull-secret in openshift-config$/;

/** A permission that no request needs: an API server's admission checks it, in the words of `accessText`. */
export const askedByAdmission = /^delete machineconfiguration\.openshift\.io machineconfigs /;
