import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { clusterEvent } from "#shared/domain/precache-model/cluster-event.ts";
import type { CguName } from "#shared/domain/precache-model/work-identity.ts";
import { HubError } from "#shared/ports/hub.ts";
import { ended } from "../../../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../../precache/precache-system.ts";
import { pullUntilClosing } from "../../precache/precache-windows.ts";
import type { Recorder, Story } from "../story.ts";

const upgrade: CguName = { namespace: "default", name: "upgrade" };
const step = (system: PrecacheSystem) => system.step(precacheCluster, { batchSize: 500 });
const aSystem = (trace: Recorder, fault?: Parameters<typeof precacheSystem>[0]) =>
  precacheSystem(fault, undefined, trace.around);

/** precache-status decides, and sends its messages. */
const decided = (trace: Recorder, system: PrecacheSystem) =>
  trace.unrecorded(async () => void (await system.step(precacheStatus, { batchSize: 500 })));

function message(system: PrecacheSystem, cluster: string, cgu = upgrade): void {
  const event = clusterEvent(cgu, cluster, { source: "urn:test:hub" });
  system.deliver(precacheCluster.queue, JSON.stringify(event));
}

async function limited(trace: Recorder) {
  trace.scenario("Two of three clusters have a slot");
  const system = aSystem(trace);
  system.plan(aPlannedUpgrade(["sno1", "sno2", "sno3"], { maxConcurrency: 2 }));
  await decided(trace, system);
  await step(system);

  trace.scenario("A repeated message, and one about the cluster without a slot");
  for (const cluster of ["sno1", "sno3"]) message(system, cluster);
  await step(system);
  return system;
}

async function refused(trace: Recorder) {
  trace.scenario("The hub refuses one of two ManifestWorks");
  const system = aSystem(trace, (request, { namespace }) =>
    request === "create ManifestWork" && namespace === "sno1"
      ? new HubError("Unavailable", "the namespace of sno1 does not accept objects now")
      : undefined,
  );
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await decided(trace, system);
  await step(system);
  return system;
}

async function raced(trace: Recorder) {
  trace.scenario("Another upgrade has started on the cluster at the same moment");
  const system = aSystem(trace);
  system.plan(aPlannedUpgrade(["sno1"]));
  await decided(trace, system);
  const other = aPlannedUpgrade(["sno1"], { name: "other" });
  const { precaching } = Object(other.status);
  system.hub.put({
    ...other,
    status: { ...Object(other.status), precaching: { ...precaching, status: { sno1: "PreparingToStart" } } },
  });
  await step(system);
  return system;
}

async function windowCloses(trace: Recorder) {
  trace.scenario("Its window has closed while its Job runs");
  const system = aSystem(trace);
  await trace.unrecorded(async () => {
    await pullUntilClosing(system);
    system.resync();
  });
  await decided(trace, system);
  await step(system);
  return system;
}

async function success(trace: Recorder) {
  trace.scenario("A run has succeeded");
  const system = aSystem(trace);
  await trace.unrecorded(async () => {
    system.plan(aPlannedUpgrade(["sno1"]));
    await system.settle();
    system.report(ended("succeeds"));
  });
  await decided(trace, system);
  await step(system);
  return system;
}

async function unknownNames(trace: Recorder) {
  trace.scenario("Messages about a cluster that is not in the plan, and an upgrade that does not exist");
  const system = aSystem(trace);
  await trace.unrecorded(async () => {
    system.plan(aPlannedUpgrade(["sno1"]));
    await system.settle();
  });
  message(system, "sno9");
  message(system, "sno1", { ...upgrade, name: "never-existed" });
  await step(system);
  return system;
}

export const precacheClusterStory: Story = {
  controller: precacheCluster,
  introduction: "The ManifestWork of a cluster becomes what the cluster's record says.",
  options: { maxChanges: 20 },
  scenarios: [limited, refused, raced, windowCloses, success, unknownNames],
};
