import type { Context } from "aws-lambda";
import { expect, onTestFinished, test } from "vitest";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { sendingQueue } from "../support/messages/sending-queue.ts";
import { aRecord } from "../support/messages/sqs-record.ts";
import {
  aManagedCluster,
  anOverridesConfigMap,
  anUpgrade,
  aPolicy,
  aWantedRelease,
} from "../support/precache/precache-plan-objects.ts";
import { reportsOf } from "../support/precache/precache-reports.ts";

const policy = (compliance: Readonly<Record<string, string>>) =>
  aPolicy("platform", [aWantedRelease()], compliance);
const labelled = (name: string, site: string) => aManagedCluster(name, { labels: { site } });

/** A forwarder and planning on an in-memory hub, without ticks. */
async function planning(objects: readonly KubernetesObject[]) {
  const stop = new AbortController();
  const synced = Promise.withResolvers<void>();
  const waiters = new Set<() => void>();
  const now = () => new Date("2026-03-01T02:00:00Z");
  const woken = () => {
    for (const check of waiters) check();
  };
  const hub = memoryHub({ id: "urn:test:hub", now, onChange: woken });
  for (const object of objects) hub.put(object);
  const plannedKinds: string[] = [];
  let reads = 0;
  const queueNamed = (name: string): Queue =>
    sendingQueue(name, async (messages) => {
      if (name !== precachePlan.queue) return;
      const Records = messages.map(({ body }, index) => aRecord(`m${index}`, body));
      for (const { body } of messages) plannedKinds.push(JSON.parse(body).data.kind);
      woken();
      setImmediate(() => handler({ Records }, {} as Context));
    });
  const handler = hubEventHandler(precachePlan, {
    ...quietPorts(hub, now),
    queue: queueNamed(precachePlan.queue),
    queueNamed,
    deadLetters: queueNamed("dead-letters"),
    log: (entry) => {
      if (entry.event !== "reconciled" || entry.key !== "ztp/upgrade") return;
      reads++;
      woken();
    },
  });
  const forwarding = forwardChanges({
    hub,
    allWatches: [precachePlan],
    queue: queueNamed,
    signal: stop.signal,
    log: ({ event }) => event === "synced" && synced.resolve(),
    delay: () => new Promise((rested) => setImmediate(rested)),
  });
  onTestFinished(async () => {
    stop.abort();
    await forwarding;
  });
  await synced.promise;
  const planned = () => {
    const status = Object(hub.find(kinds.ClusterGroupUpgrade, "upgrade", "ztp")?.status);
    return { clusters: status.precaching?.clusters ?? [], space: status.precaching?.spec?.spaceRequired };
  };
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!isSo()) return;
        waiters.delete(check);
        resolve();
      };
      waiters.add(check);
      check();
    });
  return {
    hub,
    plannedKinds,
    until,
    reads: () => reads,
    clustersAre: (...names: string[]) => until(() => String(planned().clusters) === String(names)),
    spaceIs: (gib: string) => until(() => planned().space === gib),
  };
}

test("When a policy becomes non-compliant, the upgrade should be planned without a tick", async () => {
  const cgu = anUpgrade({ clusters: ["sno1", "sno2"] });
  const fleet = [aManagedCluster("sno1"), aManagedCluster("sno2")];
  const { hub, clustersAre } = await planning([
    ...fleet,
    policy({ sno1: "NonCompliant", sno2: "Compliant" }),
    cgu,
  ]);
  await clustersAre("sno1");
  const { apiVersion, kind, metadata, status } = policy({ sno1: "NonCompliant", sno2: "NonCompliant" });
  const present = hub.find(kinds.Policy, metadata.name, metadata.namespace);
  await hub.updateStatus({ ...present, apiVersion, kind, metadata: present?.metadata ?? metadata, status });
  await clustersAre("sno1", "sno2");
});

test("When a cluster joins, gets another label, or leaves, the upgrade should be planned without a tick", async () => {
  const cgu = anUpgrade({ clusters: undefined, clusterSelector: ["site=a"] });
  const objects = [
    labelled("sno1", "a"),
    labelled("sno2", "b"),
    policy({ sno1: "NonCompliant", sno2: "NonCompliant", sno3: "NonCompliant" }),
    cgu,
  ];
  const { hub, clustersAre } = await planning(objects);
  await clustersAre("sno1");
  hub.put(labelled("sno3", "a"));
  await clustersAre("sno1", "sno3");
  hub.put(labelled("sno2", "a"));
  await clustersAre("sno1", "sno2", "sno3");
  await hub.delete({ ...kinds.ManagedCluster, name: "sno1" });
  await clustersAre("sno2", "sno3");
});

test("When the deprecated ConfigMap changes, the upgrade should be planned without a tick", async () => {
  const objects = [
    aManagedCluster("sno1"),
    aManagedCluster("sno2"),
    policy({ sno1: "NonCompliant", sno2: "NonCompliant" }),
    anUpgrade(),
  ];
  const { hub, spaceIs } = await planning(objects);
  await spaceIs("35");
  hub.put(anOverridesConfigMap({ "precache.spaceRequired": "50 GiB" }));
  await spaceIs("50");
});

test("When only the status of clusters changes, nothing should be planned", async () => {
  const objects = [
    labelled("sno1", "a"),
    aManagedCluster("sno2"),
    policy({ sno1: "NonCompliant", sno2: "NonCompliant" }),
    anUpgrade(),
  ];
  const { hub, plannedKinds, until, clustersAre } = await planning(objects);
  await clustersAre("sno1", "sno2");
  for (let pods = 0; pods < 100; pods++) {
    const cluster = hub.find(kinds.ManagedCluster, "sno1");
    if (cluster)
      await hub.updateStatus({ ...cluster, status: { ...Object(cluster.status), capacity: { pods } } });
  }
  // Later changes are reported after them.
  hub.put(labelled("sno1", "b"));
  const ofClusters = () => plannedKinds.filter((kind) => kind === "ManagedCluster");
  await until(() => ofClusters().length > 0);
  expect(ofClusters()).toHaveLength(1);
});

test("When the window that a rollout waits for is rescheduled, the rollout should start without a tick", async () => {
  const annotations = { "hubrelay.dev/enable-after-precaching": "window=fleet/night" };
  const window = windowObject({ schedule: "0 12 * * *" });
  const { hub, clustersAre, until } = await planning([
    aManagedCluster("sno1"),
    policy({ sno1: "NonCompliant" }),
    window,
    anUpgrade({ clusters: ["sno1"], enable: false }, { annotations }),
  ]);
  await clustersAre("sno1");
  const upgrade = () => hub.find(kinds.ClusterGroupUpgrade, "upgrade", "ztp");
  const cgu = upgrade();
  if (!cgu) throw new Error("the upgrade is gone");
  const done = { type: "PrecachingSuceeded", status: "True", reason: "PrecachingCompleted", message: "m" };
  const { precaching, ...status } = Object(cgu.status);
  for (const report of reportsOf(cgu)) hub.put(report);
  await hub.updateStatus({
    ...cgu,
    status: { ...status, precaching: { ...precaching, status: { sno1: "Succeeded" } }, conditions: [done] },
  });
  const present = hub.find(kinds.MaintenanceWindow, "night", "fleet");
  // From 02:00 to 04:30 in Berlin, where it is 03:00.
  if (present) await hub.update({ ...present, spec: { ...Object(present.spec), schedule: "0 2 * * *" } });
  await until(() => Object(upgrade()?.spec).enable === true);
});

test("When pre-caching has ended, the rollout should be handed back without a tick, and progress before that planned never", async () => {
  const annotations = { "hubrelay.dev/enable-after-precaching": "now" };
  const { hub, clustersAre, until, reads } = await planning([
    aManagedCluster("sno1"),
    policy({ sno1: "NonCompliant" }),
    anUpgrade({ clusters: ["sno1"], enable: false }, { annotations }),
  ]);
  await clustersAre("sno1");
  const upgrade = () => hub.find(kinds.ClusterGroupUpgrade, "upgrade", "ztp") ?? anUpgrade();
  const inState = (state: string, conditions: unknown) => {
    const { precaching, ...status } = Object(upgrade().status);
    const written = { ...status, precaching: { ...precaching, status: { sno1: state } }, conditions };
    return hub.updateStatus({ ...upgrade(), status: written });
  };
  await until(() => reads() > 0);
  const before = reads();
  for (const state of ["Starting", "Active", "Succeeded"])
    await inState(state, Object(upgrade().status).conditions);
  const done = { type: "PrecachingSuceeded", status: "True", reason: "PrecachingCompleted", message: "m" };
  for (const report of reportsOf(upgrade())) hub.put(report);
  await inState("Succeeded", [done]);
  await until(() => Object(upgrade().spec).enable === true && reads() > before);
  expect(reads()).toBe(before + 1);
});

test("When the status of a window lists its waiting upgrades, nothing should be planned", async () => {
  const annotations = { "hubrelay.dev/maintenance-window": "fleet/night" };
  const { hub, plannedKinds, clustersAre, until } = await planning([
    aManagedCluster("sno1"),
    policy({ sno1: "NonCompliant" }),
    windowObject(),
    anUpgrade({ clusters: ["sno1"] }, { annotations }),
  ]);
  await clustersAre("sno1");
  const window = () => hub.find(kinds.MaintenanceWindow, "night", "fleet");
  const present = window();
  if (present) await hub.updateStatus({ ...present, status: { open: true, waiting: 1 } });
  const windows = () => plannedKinds.filter((kind) => kind === kinds.MaintenanceWindow.kind).length;
  expect(windows()).toBe(0);
  const later = window();
  if (later) await hub.update({ ...later, spec: { ...Object(later.spec), duration: "3h" } });
  await until(() => windows() > 0);
  expect(windows()).toBe(1);
});

test("When a named window does not exist, the upgrade should report that at once, once, and no longer when it exists", async () => {
  const objects = [
    aManagedCluster("sno1"),
    aManagedCluster("sno2"),
    policy({ sno1: "NonCompliant", sno2: "NonCompliant" }),
    anUpgrade(),
  ];
  const { hub, until, reads, clustersAre } = await planning(objects);
  await clustersAre("sno1", "sno2");
  const missingWindowEvents = () => hub.all(kinds.Event).filter(({ reason }) => reason === "WindowMissing");
  expect(missingWindowEvents()).toEqual([]);

  const cgu = () => hub.find(kinds.ClusterGroupUpgrade, "upgrade", "ztp") ?? anUpgrade();
  const { metadata, ...others } = cgu();
  const annotations = { ...metadata.annotations, "hubrelay.dev/maintenance-window": "fleet/night" };
  await hub.update({ ...others, metadata: { ...metadata, annotations } });
  await until(() => missingWindowEvents().length === 1);

  // The function precache-status writes the progress of the clusters: that does not change the annotation.
  const precaching = Object(cgu().status).precaching;
  for (const state of ["PreparingToStart", "Starting", "Active"])
    await hub.updateStatus({
      ...cgu(),
      status: { ...Object(cgu().status), precaching: { ...precaching, status: { sno1: state } } },
    });
  // A window of its name in another namespace does not help; planning has read everything above when it has read this.
  const before = reads();
  hub.put({ ...windowObject(), metadata: { namespace: "ztp", name: "night" } });
  await until(() => reads() > before);
  expect(missingWindowEvents().map(({ count }) => count)).toEqual([1]);

  hub.put(windowObject());
  await until(() => missingWindowEvents().length === 0);
  await hub.delete({ ...kinds.MaintenanceWindow, namespace: "fleet", name: "night" });
  await until(() => missingWindowEvents().length === 1);
});
