import { test } from "vitest";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { expectGolden } from "../support/golden/scenarios.ts";
import { goldenTrace } from "../support/golden/trace.ts";
import { aClusterVersion } from "../support/hub/objects.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aWantedRelease,
} from "../support/precache/precache-plan-objects.ts";
import { precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow } from "../support/precache/precache-windows.ts";

const names = ["sno1", "sno2", "sno3", "sno4"];
const trace = goldenTrace(
  "precache-story",
  "Four clusters are pre-cached, two at a time: sno1 succeeds, sno2 fails and is retried, sno3 is unreachable, and " +
    "sno4 waits for the maintenance window of its label.",
  { story: /^status\.precaching\.status|spec\.suspend|^status\.open/ },
);
const system = precacheSystem(
  undefined,
  [precachePlan, precacheCluster, precacheStatus, maintenanceWindow],
  trace.around,
);

/** The functions work one after the other until nothing is due. */
async function settle(): Promise<void> {
  for (let isBusy = true; isBusy; ) {
    isBusy = false;
    for (const controller of system.served)
      while (await system.step(controller, { batchSize: 500 })) isBusy = true;
  }
}

/** States what happens, at the time of the clock, and lets the functions follow. */
async function then(what: string): Promise<void> {
  trace.say(`### ${system.now().toISOString().slice(11, 19)} ${what}`);
  await settle();
}

test("When a small fleet is pre-cached, the functions should do what precache-story.md shows", async () => {
  const labelled = { clusterSelector: { matchLabels: { window: "night" } }, schedule: "0 4 * * *" };
  const compliance = Object.fromEntries(names.map((name) => [name, "NonCompliant"]));
  for (const object of [
    aClusterVersion(),
    aPolicy("platform", [aWantedRelease()], compliance),
    ...names.map((name) => aManagedCluster(name, { labels: name === "sno4" ? { window: "night" } : {} })),
    aWindow("night", labelled),
  ])
    system.hub.put(object);
  await trace.unrecorded(settle);

  const remediationStrategy = { maxConcurrency: 2, timeout: 60 };
  system.hub.put(anUpgrade({ clusters: names, remediationStrategy }));
  await then("A ClusterGroupUpgrade requests pre-caching");
  system.report(ended("succeeds"), ["sno1"]);
  system.report(ended("fails"), ["sno2"]);
  await then("sno1 has succeeded, sno2 has failed");
  system.pass(95);
  await then("The agent of sno3 has not applied its work for 95 s");
  system.pass(2 * 3600 - 95);
  system.tick();
  const cgu = system.hub.find(kinds.ClusterGroupUpgrade, "upgrade", "ztp");
  if (!cgu) throw new Error("the upgrade is gone");
  const annotations = { ...cgu.metadata.annotations, "hubrelay.dev/retry": "sno2" };
  system.hub.put({ ...cgu, metadata: { ...cgu.metadata, annotations } });
  await then(
    "The window of sno4 opens, the deadline of sno3 is over, and a person requests another attempt on sno2",
  );
  system.report(ended("succeeds"), ["sno2", "sno4"]);
  await then("sno2 and sno4 have succeeded, so all have ended");
  await expectGolden(trace);
});
