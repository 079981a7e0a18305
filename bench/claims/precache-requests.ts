import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { workLabels } from "#shared/domain/precache-model/work-identity.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { among } from "../../cli/simulation/fates.ts";
import { startFleet } from "../../cli/simulation/managed-fleet.ts";
import { startHub } from "../../test/cluster/support/clusters/cluster.ts";
import { precachingUsers, startPrecaching } from "../../test/cluster/support/clusters/precaching.ts";
import {
  makeFleet,
  plainFates,
  untilFleetEnded,
} from "../../test/cluster/support/clusters/simulated-fleet.ts";
import { type CountedRequests, countRequests } from "../../test/cluster/support/observe/audit-log.ts";
import { missingForCluster } from "../../test/cluster/support/programs/programs.ts";
import type { Claim, Row } from "../claim.ts";
import { perCluster, talm } from "../support/talm.ts";

const jobMs = 20_000;
/** The maximum relative difference between the audit log and hubrelay's metrics: some requests may be canceled. */
const maxApart = 0.1;

async function untilAllRemoved(hub: Hub, signal: AbortSignal): Promise<void> {
  const left = new Set<string | undefined>();
  let isSynced = false;
  for await (const change of hub.watch(kinds.ManifestWork, signal, { withLabel: workLabels.cgu })) {
    if (change.verb === "synced") isSynced = true;
    else if (change.verb === "delete") left.delete(change.object.metadata.namespace);
    else left.add(change.object.metadata.namespace);
    if (isSynced && left.size === 0) return;
  }
  throw new Error(`the ManifestWorks of ${left.size} clusters still exist`);
}

async function measure(clusters: number): Promise<CountedRequests & Readonly<{ wallSeconds: number }>> {
  await using cleanup = new AsyncDisposableStack();
  const server = await startHub();
  cleanup.defer(() => server.stop());
  const hub = cleanup.adopt(kubernetesHub(server.admin.kubeConfig, { userAgent: "person" }), (one) =>
    one.close(),
  );
  const fates = plainFates(clusters, { jobMs });
  const upgrade = await makeFleet(hub, server.api, fates, {
    maxConcurrency: clusters,
    timeoutMinutes: 240,
  });
  cleanup.use(await startPrecaching(server, { visibilityTimeoutSeconds: 120 }));

  const timeout = AbortSignal.timeout(600_000);
  const stop = new AbortController();
  cleanup.defer(() => stop.abort());
  const fleet = startFleet(hub, among(fates), stop.signal, (error) => console.error("agents:", error));
  const counted = await countRequests(server, (user) => precachingUsers.has(user));
  const began = performance.now();
  const ended = untilFleetEnded(hub, clusters, timeout);
  await hub.create(upgrade);
  await ended;
  await untilAllRemoved(hub, timeout);
  const requests = await counted();
  const wallSeconds = (performance.now() - began) / 1000;

  const wrong = fates.filter(({ cluster }) => fleet.jobs.get(cluster)?.length !== 1);
  if (wrong.length > 0) throw new Error(`${wrong.length} clusters did not have exactly one Job`);
  const { auditedTotal, meteredTotal } = requests;
  if (Math.abs(auditedTotal - meteredTotal) > Math.max(10, auditedTotal * maxApart))
    throw new Error(`the audit log has ${auditedTotal} requests, the metrics have ${meteredTotal}`);
  return { ...requests, wallSeconds };
}

function rowOf(
  clusters: number,
  { audited, auditedTotal, meteredTotal, wallSeconds }: Awaited<ReturnType<typeof measure>>,
): Row {
  const requestsPerCluster = auditedTotal / clusters;
  const count = (matches: RegExp) =>
    Object.entries(audited).reduce((sum, [key, some]) => (matches.test(key) ? sum + some : sum), 0);
  return {
    subject: `${clusters} clusters on a real API server: ${requestsPerCluster.toFixed(2)} requests of hubrelay per cluster`,
    // Some requests serve all clusters, so each cluster of a smaller fleet has a larger part of them.
    ...perCluster(clusters, requestsPerCluster, { unit: "requests", ofTalm: talm.requests, bound: 4 }),
    numbers: {
      requestsPerCluster,
      meteredPerCluster: meteredTotal / clusters,
      workCreates: count(/^create manifestworks$/),
      workDeletes: count(/^delete manifestworks$/),
      reads: count(/^(?:get|list|watch) /),
      otherWrites: count(/^(?:create|update|delete) (?!manifestworks$)/),
      wallSeconds,
    },
  };
}

export const precacheRequests: Claim = {
  name: "precache-requests",
  goal:
    "pre-caching 500 clusters takes at most 4 requests per cluster to a real API server, forwarder included, by the server's " +
    "audit log and metrics",
  async run({ smoke }) {
    const missing = missingForCluster();
    if (missing) return [{ subject: "requests of pre-caching", against: "TALM's", skipped: missing }];
    const rows: Row[] = [];
    for (const clusters of smoke ? [20] : [50, 500]) rows.push(rowOf(clusters, await measure(clusters)));
    return rows;
  },
};
