import { afterAll, beforeAll, expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { machineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { functionLabel } from "#shared/domain/plan/object-events.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { deployedLease, leaseCandidate } from "#shared/runtime/forwarder/lease.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { leaseVerdict } from "../../cli/commands/doctor/checks/deployment-rows.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool, aTagMirrorSet } from "../support/hub/objects.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { createNamespace } from "./support/manifests/apply-manifests.ts";
import { createClusterVersion } from "./support/manifests/cluster-version.ts";

const minuteMs = 60_000;
const here = () => new Date();
const ahead = () => new Date(Date.now() + 50 * minuteMs);

let server: TestHub;
let hub: KubernetesHub;
beforeAll(async () => {
  server = await startHub();
  hub = kubernetesHub(server.admin.kubeConfig);
  await createNamespace(server.api, "fleet");
  await createNamespace(server.api, deployedLease.namespace);
  await createClusterVersion(hub);
}, 240_000);
afterAll(async () => {
  hub?.close();
  await server?.stop();
});

const mirrorFiles = async () =>
  JSON.stringify((await hub.get(kinds.MachineConfig, machineConfigName("worker")))?.spec);
const reasons = async () =>
  (await hub.list(kinds.Event, { withLabel: functionLabel })).map(({ reason }) => reason);

test("When a pod's clock is 50 minutes ahead, a held drain should not be written before its window", async () => {
  const limits = { "hubrelay.dev/max-cost": "drain" };
  const labels = { "machineconfiguration.openshift.io/mco-built-in": "" };
  const pool = await hub.create(asNew(aPool("worker", { annotations: limits, labels })));
  await hub.create(asNew(anImageConfig({})));
  const release = [{ source: "quay.io/release", mirrors: ["mirror.example.com/release"] }];
  await hub.create(asNew(aDigestMirrorSet("release", release)));
  await reconcile(mirrorConfig, "cluster", quietPorts(hub));
  const before = await mirrorFiles();
  expect(before).toContain("data:");

  const opens = new Date(Date.now() + 38 * minuteMs);
  const schedule = `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`;
  const allow = { maxCost: { worker: "drain" } };
  await hub.create(asNew(windowObject({ schedule, timeZone: "UTC", duration: "1h", allow })));
  const annotations = { ...pool.metadata.annotations, "hubrelay.dev/max-cost": "reload" };
  await hub.update({ ...pool, metadata: { ...pool.metadata, annotations } });
  await hub.create(asNew(aTagMirrorSet("tags", [{ source: "quay.io/a", mirrors: ["m.example.com/a"] }])));

  const withHub = (own: Hub, now: () => Date) =>
    reconcile(mirrorConfig, "cluster", { ...quietPorts(own, now), hub: own });
  await withHub(hub, here);
  expect([await mirrorFiles(), await reasons()]).toEqual([before, ["ChangeWaitsForWindow"]]);
  const { plan } = await withHub(hub, ahead);
  expect(plan.decisions[0]?.reason).toContain("hubrelay's clock is more than 60 s ahead of the hub's");
  expect([await mirrorFiles(), await reasons()]).toEqual([before, ["ChangeHeld"]]);

  // Without the hub's time it is written: the window is open by this clock.
  const { time: _, ...withoutTime } = hub;
  await withHub(withoutTime, ahead);
  expect(await mirrorFiles()).not.toBe(before);
});

test.for([
  { minutes: 0, state: "ok", says: "pod-1 has the Lease" },
  { minutes: 50, state: "problem", says: "s ahead of the hub's: no maintenance window opens" },
  { minutes: -50, state: "problem", says: "s behind the hub's: no maintenance window opens" },
])(
  "When the forwarder's clock is $minutes minutes ahead, the check of its Lease should be: $state",
  async ({ minutes, state, says }) => {
    const candidate = leaseCandidate({
      hub,
      lease: deployedLease,
      identity: "pod-1",
      durationMs: 15_000,
      now: () => new Date(Date.now() + minutes * minuteMs),
      elapsedMs: () => performance.now(),
    });
    await candidate.hold();
    await candidate.hold();
    const lease = await hub.get(kinds.Lease, deployedLease.name, deployedLease.namespace);
    expect(leaseVerdict(deployedLease, lease, here())).toMatchObject({
      state,
      found: expect.stringContaining(says),
    });
  },
);
