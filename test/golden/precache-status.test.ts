import { test } from "vitest";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { clusterReference } from "#shared/domain/precache/model/cluster-event.ts";
import { ended, running } from "../../cli/simulation/reported-status.ts";
import { expectGolden } from "../support/golden/scenarios.ts";
import { goldenTrace } from "../support/golden/trace.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, pulling, until } from "../support/precache/precache-windows.ts";

const trace = goldenTrace(
  "precache-status",
  "What was planned, what work agents report, windows and limits become the status of a ClusterGroupUpgrade, its " +
    "reports, and a message to each cluster that has something to do.",
);
const step = (system: PrecacheSystem) => system.step(precacheStatus, { batchSize: 500 });

/** An upgrade of two clusters, of which the first pulls and the second waits for its place. */
async function underWay(): Promise<PrecacheSystem> {
  const system = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(async () => {
    system.plan(aPlannedUpgrade(["sno1", "sno2"], { maxConcurrency: 1 }));
    await system.settle();
    system.report(running(0.1), ["sno1"]);
    await system.settle();
  });
  return system;
}

test("When precache-status handles events, it should do what precache-status.md shows", async () => {
  trace.scenario("Three clusters are planned, and two may run at the same time");
  const planned = precacheSystem(undefined, undefined, trace.around);
  planned.plan(aPlannedUpgrade(["sno1", "sno2", "sno3"], { maxConcurrency: 2 }));
  await step(planned);

  trace.scenario("Another process is faster between read and write");
  let rival: (() => void) | undefined;
  const raced = precacheSystem(
    (request) => {
      if (request === "update-status ClusterGroupUpgrade") rival?.();
      return undefined;
    },
    undefined,
    trace.around,
  );
  rival = () => {
    rival = undefined;
    const cgu = raced.upgrade();
    const { precaching, ...status } = Object(cgu?.status);
    const states = { sno2: "PreparingToStart" };
    if (cgu) raced.hub.put({ ...cgu, status: { ...status, precaching: { ...precaching, status: states } } });
  };
  raced.plan(aPlannedUpgrade(["sno1", "sno2"], { maxConcurrency: 1 }));
  await step(raced);

  trace.scenario("The window closes while a Job runs");
  const night = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(async () => {
    night.hub.put(aWindow("night"));
    night.plan(aPlannedUpgrade(["sno1"]));
    await until(night, "2026-03-02T01:00:00Z");
    night.report(pulling);
    await night.settle();
    night.pass(2 * 3600);
  });
  night.resync();
  await step(night);

  trace.scenario("A cluster reports progress, twice within a minute");
  const progress = await underWay();
  progress.report(running(0.4), ["sno1"]);
  await step(progress);
  progress.pass(60);
  progress.report(running(0.5), ["sno1"]);
  await step(progress);

  trace.scenario("A cluster succeeds, and another waits for its place");
  const success = await underWay();
  success.report(ended("succeeds"), ["sno1"]);
  await step(success);

  trace.scenario("The last cluster fails");
  await trace.unrecorded(() => success.settle());
  success.report(ended("fails"), ["sno2"]);
  await step(success);

  trace.scenario("A person requests another attempt");
  await trace.unrecorded(() => success.settle());
  const cgu = success.upgrade();
  const annotations = { ...cgu?.metadata.annotations, "hubrelay.dev/retry": "sno2" };
  if (cgu) success.hub.put({ ...cgu, metadata: { ...cgu.metadata, annotations } });
  await step(success);

  trace.scenario("A forged message names a cluster that has not ended");
  const forged = await underWay();
  const name = { namespace: "default", name: "upgrade" };
  const body = JSON.stringify(hubEvent("update", clusterReference(name, "sno1"), { source: "urn:test:hub" }));
  forged.queues.get(precacheStatus.queue)?.push({ body, at: forged.now().getTime(), receives: 0 });
  await step(forged);

  trace.scenario("A cluster does not report an end in time");
  const late = await underWay();
  late.queues.get(precacheStatus.queue)?.splice(0);
  late.pass(4 * 3600 + 120);
  late.resync();
  await step(late);
  await expectGolden(trace);
});
