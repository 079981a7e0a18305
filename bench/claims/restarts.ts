import { setTimeout as sleep } from "node:timers/promises";
import { resync } from "#functions/resync/resync.ts";
import { allWatches } from "#functions/watches.ts";
import { kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { startHub, type TestHub } from "../../test/cluster/support/clusters/cluster.ts";
import { createManifest } from "../../test/cluster/support/manifests/apply-manifests.ts";
import {
  controlPlaneOperator,
  createClusterVersion,
  hostedControlPlane,
} from "../../test/cluster/support/manifests/control-plane.ts";
import { readAuditLog } from "../../test/cluster/support/observe/audit-log.ts";
import { missingForCluster } from "../../test/cluster/support/programs/programs.ts";
import { hypershiftFinalizer } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { validHostedClusterSpec } from "../../test/support/hosted-clusters/hostile-changes.ts";
import { asNew } from "../../test/support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { startHubrelay } from "../../test/support/processes/hubrelay-process.ts";
import type { Claim, Row } from "../claim.ts";

const allowed = 4;
const namespaces = "clusters";
const mirrors = [{ source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["m.corp.example/ocp"] }];
const quietMs = 5_000;

async function makeHostedFleet({ api }: TestHub, hub: Hub, clusters: number): Promise<void> {
  const namespace = (name: string): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });
  await createClusterVersion(hub);
  for (const object of [anImageConfig(), aPool("worker"), aDigestMirrorSet("ocp", mirrors)])
    await hub.create(asNew(object));
  for (const name of ["hubrelay", namespaces]) await createManifest(api, namespace(name));
  for (let index = 0; index < clusters; index++) {
    const name = `tenant-${index}`;
    const own = `${namespaces}-${name}`;
    await createManifest(api, namespace(own));
    const metadata = { namespace: namespaces, finalizers: [hypershiftFinalizer] };
    await hub.create(aHostedCluster({ name, metadata, spec: validHostedClusterSpec }));
    const controlPlane = { ...hostedControlPlane, metadata: { name, namespace: own } };
    for (const object of [
      controlPlane,
      { ...controlPlaneOperator, metadata: { ...controlPlaneOperator.metadata, namespace: own } },
    ])
      await hub.create(object);
  }
}

async function startRun(cleanup: AsyncDisposableStack, { admin }: TestHub) {
  const running = startHubrelay(["run", "--lease", "hubrelay/hubrelay-forwarder"], {
    PATH: process.env.PATH ?? "",
    HUBRELAY_HUB: `kubeconfig:${admin.kubeConfigFile}`,
    HUBRELAY_OUTCOME_SINKS: "{}",
    HUBRELAY_WORKLOAD_IMAGE: "registry.lab/precache-workload:1",
  });
  cleanup.defer(async () => {
    await running.end("SIGKILL");
  });
  await running.logged(({ event }) => event === "synced");
  return running;
}

function requestsOf({ auditLog }: TestHub) {
  const all = async () => (await readAuditLog(auditLog)).filter(({ userAgent }) => userAgent === "hubrelay");
  return {
    count: async () => (await all()).length,
    /** Resolves when, for five seconds, hubrelay has sent only requests for its Lease. */
    async quiet() {
      const busy = async () => (await all()).filter(({ resource }) => resource !== "leases").length;
      for (let before = -1, now = await busy(); before !== now; now = await busy()) {
        before = now;
        await sleep(quietMs);
      }
    },
  };
}

function rowOf(clusters: number, subject: string, requests: number): Row {
  const each = requests / clusters;
  return {
    subject: `${clusters} hosted clusters on a real API server: ${each.toFixed(2)} requests for each ${subject}`,
    against: `${allowed} requests`,
    ratio: each / allowed,
    goal: { atMost: 1 },
    measures: "count",
    numbers: { requestsPerCluster: each, requests },
  };
}

async function measure(clusters: number, outageMs: number): Promise<readonly Row[]> {
  await using cleanup = new AsyncDisposableStack();
  const server = cleanup.adopt(await startHub(), (one) => one.stop());
  const open = (userAgent: string) =>
    cleanup.adopt(kubernetesHub(server.admin.kubeConfig, { userAgent }), (one) => one.close());
  const person = open("person");
  await makeHostedFleet(server, person, clusters);
  const { count, quiet } = requestsOf(server);
  const first = await startRun(cleanup, server);
  await quiet();
  const reconciled = first.lines.filter(
    ({ event, key }) => event === "reconciled" && String(key).startsWith(`${namespaces}/`),
  );
  if (reconciled.length < clusters) throw new Error(`only ${reconciled.length} clusters were reconciled`);
  await first.end("SIGTERM");

  const beforeStart = await count();
  const second = await startRun(cleanup, server);
  await quiet();
  const tick = await resync(
    open("hubrelay"),
    allWatches,
    (name) => sendingQueue(name, async () => undefined),
    new Date(),
  );
  // Some of these clusters are unchanged: a tick cannot see whether guests, Secrets or registries have changed.
  const named = clusters - tick.unchanged;
  if (named > clusters / 10) throw new Error(`a tick names ${named} clusters again`);
  const started = (await count()) - beforeStart;

  const beforeOutage = await count();
  await server.kill();
  await sleep(outageMs);
  await server.restart();
  // hubrelay can reconcile this object only after it has listed and watched everything again.
  await person.create(asNew(aDigestMirrorSet("other", [{ source: "a.example", mirrors: ["b.example"] }])));
  await second.logged(({ event, key }) => event === "reconciled" && key === "cluster");
  await quiet();
  const outage = (await count()) - beforeOutage;
  return [
    rowOf(clusters, "after a restart, with the next tick", started),
    rowOf(clusters, `after ${outageMs / 1000} s without the API server`, outage),
  ];
}

export const restarts: Claim = {
  name: "restarts",
  goal:
    `a restart of hubrelay run after which nothing has changed takes at most ${allowed} requests for each hosted cluster, ` +
    "lists, watches and the next tick included, and so does an API server that was away",
  async run({ smoke }) {
    const missing = missingForCluster();
    if (missing)
      return [{ subject: "requests of a restart", against: `${allowed} requests`, skipped: missing }];
    return await measure(100, smoke ? 2_000 : 20_000);
  },
};
