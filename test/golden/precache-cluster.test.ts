import { test } from "vitest";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { clusterEvent } from "#shared/domain/precache/model/cluster-event.ts";
import type { CguName } from "#shared/domain/precache/work/work-identity.ts";
import { HubError } from "#shared/ports/hub.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { expectGolden } from "../support/golden/scenarios.ts";
import { goldenTrace } from "../support/golden/trace.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, pulling, until } from "../support/precache/precache-windows.ts";

const trace = goldenTrace(
  "precache-cluster",
  "The ManifestWork of a cluster becomes what the cluster's record says.",
  { maxChanges: 20 },
);
const upgrade: CguName = { namespace: "default", name: "upgrade" };
const step = (system: PrecacheSystem) => system.step(precacheCluster, { batchSize: 500 });
const aSystem = (fault?: Parameters<typeof precacheSystem>[0]) =>
  precacheSystem(fault, undefined, trace.around);

/** precache-status decides, and sends its messages. */
const decided = (system: PrecacheSystem) =>
  trace.unrecorded(async () => void (await system.step(precacheStatus, { batchSize: 500 })));

function message(system: PrecacheSystem, cluster: string, cgu = upgrade): void {
  const body = JSON.stringify(clusterEvent(cgu, cluster, { source: "urn:test:hub" }));
  system.queues.get(precacheCluster.queue)?.push({ body, at: system.now().getTime(), receives: 0 });
}

test("When precache-cluster gets messages, it should do what precache-cluster.md shows", async () => {
  trace.scenario("Two of three clusters have a slot");
  const limited = aSystem();
  limited.plan(aPlannedUpgrade(["sno1", "sno2", "sno3"], { maxConcurrency: 2 }));
  await decided(limited);
  await step(limited);

  trace.scenario("A repeated message, and one about the cluster without a slot");
  for (const cluster of ["sno1", "sno3"]) message(limited, cluster);
  await step(limited);

  trace.scenario("The hub refuses one of two ManifestWorks");
  const refusing = aSystem((request, { namespace }) =>
    request === "create ManifestWork" && namespace === "sno1"
      ? new HubError("Unavailable", "the namespace of sno1 does not accept objects now")
      : undefined,
  );
  refusing.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await decided(refusing);
  await step(refusing);

  trace.scenario("Another upgrade has started on the cluster at the same moment");
  const raced = aSystem();
  raced.plan(aPlannedUpgrade(["sno1"]));
  await decided(raced);
  const other = aPlannedUpgrade(["sno1"], { name: "other" });
  const { precaching } = Object(other.status);
  raced.hub.put({
    ...other,
    status: { ...Object(other.status), precaching: { ...precaching, status: { sno1: "PreparingToStart" } } },
  });
  await step(raced);

  trace.scenario("Its window has closed while its Job runs");
  const night = aSystem();
  await trace.unrecorded(async () => {
    night.hub.put(aWindow("night"));
    night.plan(aPlannedUpgrade(["sno1"]));
    await until(night, "2026-03-02T01:00:00Z");
    night.report(pulling);
    await night.settle();
    night.pass(2 * 3600);
    night.resync();
  });
  await decided(night);
  await step(night);

  trace.scenario("A run has succeeded");
  const success = aSystem();
  await trace.unrecorded(async () => {
    success.plan(aPlannedUpgrade(["sno1"]));
    await success.settle();
    success.report(ended("succeeds"));
  });
  await decided(success);
  await step(success);

  trace.scenario("Messages about a cluster that is not in the plan, and an upgrade that does not exist");
  message(night, "sno9");
  message(night, "sno1", { ...upgrade, name: "never-existed" });
  await step(night);
  await expectGolden(trace);
});
