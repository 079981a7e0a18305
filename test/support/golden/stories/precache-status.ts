import { precacheStatus } from "#functions/precache-status/controller.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import { clusterReference } from "#shared/domain/precache-model/cluster-event.ts";
import { ended, running } from "../../../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../../precache/precache-system.ts";
import { pullUntilClosing } from "../../precache/precache-windows.ts";
import type { Recorder, Story } from "../story.ts";

const step = (system: PrecacheSystem) => system.step(precacheStatus, { batchSize: 500 });

/** An upgrade of two clusters, of which the first pulls and the second waits for its place. */
async function underWay(trace: Recorder): Promise<PrecacheSystem> {
  const system = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(async () => {
    system.plan(aPlannedUpgrade(["sno1", "sno2"], { maxConcurrency: 1 }));
    await system.settle();
    system.report(running(0.1), ["sno1"]);
    await system.settle();
  });
  return system;
}

async function planned(trace: Recorder) {
  trace.scenario("Three clusters are planned, and two may run at the same time");
  const system = precacheSystem(undefined, undefined, trace.around);
  system.plan(aPlannedUpgrade(["sno1", "sno2", "sno3"], { maxConcurrency: 2 }));
  await step(system);
  return system;
}

async function raced(trace: Recorder) {
  trace.scenario("Another process is faster between read and write");
  let rival: (() => void) | undefined;
  const system = precacheSystem(
    (request) => {
      if (request === "update-status ClusterGroupUpgrade") rival?.();
      return undefined;
    },
    undefined,
    trace.around,
  );
  rival = () => {
    rival = undefined;
    const cgu = system.upgrade();
    const { precaching, ...status } = Object(cgu?.status);
    const states = { sno2: "PreparingToStart" };
    if (cgu) system.hub.put({ ...cgu, status: { ...status, precaching: { ...precaching, status: states } } });
  };
  system.plan(aPlannedUpgrade(["sno1", "sno2"], { maxConcurrency: 1 }));
  await step(system);
  return system;
}

async function windowCloses(trace: Recorder) {
  trace.scenario("The window closes while a Job runs");
  const system = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(() => pullUntilClosing(system));
  system.resync();
  await step(system);
  return system;
}

async function progress(trace: Recorder) {
  trace.scenario("A cluster reports progress, twice within a minute");
  const system = await underWay(trace);
  system.report(running(0.4), ["sno1"]);
  await step(system);
  system.pass(60);
  system.report(running(0.5), ["sno1"]);
  await step(system);
  return system;
}

/** The same, where the first cluster has succeeded, and then the second has started. */
async function oneDone(trace: Recorder): Promise<PrecacheSystem> {
  const system = await underWay(trace);
  await trace.unrecorded(async () => {
    system.report(ended("succeeds"), ["sno1"]);
    await system.settle();
  });
  return system;
}

async function succeeds(trace: Recorder) {
  trace.scenario("A cluster succeeds, and another waits for its place");
  const system = await underWay(trace);
  system.report(ended("succeeds"), ["sno1"]);
  await step(system);
  return system;
}

async function fails(trace: Recorder) {
  trace.scenario("The last cluster fails");
  const system = await oneDone(trace);
  system.report(ended("fails"), ["sno2"]);
  await step(system);
  return system;
}

async function retried(trace: Recorder) {
  trace.scenario("A person requests another attempt");
  const system = await oneDone(trace);
  await trace.unrecorded(async () => {
    system.report(ended("fails"), ["sno2"]);
    await system.settle();
  });
  const cgu = system.upgrade();
  const annotations = { ...cgu?.metadata.annotations, "hubrelay.dev/retry": "sno2" };
  if (cgu) system.hub.put({ ...cgu, metadata: { ...cgu.metadata, annotations } });
  await step(system);
  return system;
}

async function forged(trace: Recorder) {
  trace.scenario("A forged message names a cluster that has not ended");
  const system = await underWay(trace);
  const name = { namespace: "default", name: "upgrade" };
  const event = hubEvent("update", clusterReference(name, "sno1"), { source: "urn:test:hub" });
  system.deliver(precacheStatus.queue, JSON.stringify(event));
  await step(system);
  return system;
}

async function late(trace: Recorder) {
  trace.scenario("A cluster does not report an end in time");
  const system = await underWay(trace);
  system.queues.get(precacheStatus.queue)?.splice(0);
  system.pass(4 * 3600 + 120);
  system.resync();
  await step(system);
  return system;
}

export const precacheStatusStory: Story = {
  controller: precacheStatus,
  introduction:
    "What was planned, what work agents report, windows and limits become the status of a ClusterGroupUpgrade, its " +
    "reports, and a message to each cluster that has something to do.",
  scenarios: [planned, raced, windowCloses, progress, succeeds, fails, retried, forged, late],
};
