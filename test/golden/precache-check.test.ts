import { test } from "vitest";
import { checked, ended } from "../../cli/simulation/reported-status.ts";
import { expectGolden } from "../support/golden/scenarios.ts";
import { goldenTrace } from "../support/golden/trace.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, until } from "../support/precache/precache-windows.ts";

const trace = goldenTrace(
  "precache-check",
  "What all functions do for the check of one cluster, before the window of its rollout opens.",
);

test("When an opening comes soon, the functions should do what precache-check.md shows", async () => {
  const system = precacheSystem(undefined, undefined, trace.around);
  const annotations = {
    "hubrelay.dev/check-before": "12h",
    "hubrelay.dev/enable-after-precaching": "window=rollout",
  };
  const oneByOne = async () => {
    for (let isBusy = true; isBusy; ) {
      isBusy = false;
      for (const controller of system.served)
        while (await system.step(controller, { batchSize: 500 })) isBusy = true;
    }
  };
  await trace.unrecorded(async () => {
    system.hub.put(aWindow("rollout", { clusterSelector: undefined }));
    system.plan(aPlannedUpgrade(["sno1"], { annotations }));
    await system.settle();
    system.report(ended("succeeds"));
    await system.settle();
    await until(system, "2026-03-02T12:00:00Z");
  });
  trace.scenario("The tick twelve hours before the opening");
  system.pass(3600);
  system.tick();
  await oneByOne();
  trace.scenario("Images are missing");
  system.pass(30);
  system.reportCheck(checked(2));
  await oneByOne();
  await expectGolden(trace);
});
