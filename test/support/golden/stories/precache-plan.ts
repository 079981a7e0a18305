import { precachePlan } from "#functions/precache-plan/controller.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { aClusterVersion } from "../../hub/objects.ts";
import { talmLease } from "../../precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../../precache/precache-plan-objects.ts";
import { settledFunction } from "../scenarios.ts";
import type { Recorder, Story } from "../story.ts";

const platform = aPolicy("platform", [aWantedRelease()]);
const clusters = [aManagedCluster("sno1"), aManagedCluster("sno2"), aClusterVersion()];

async function requested(trace: Recorder) {
  trace.scenario("A ClusterGroupUpgrade requests pre-caching");
  const system = await settledFunction(trace, precachePlan, [...clusters, platform]);
  system.hub.put(anUpgrade());
  await system.batch();
  return system;
}

async function notRequested(trace: Recorder) {
  trace.scenario("One that does not request it");
  const system = await settledFunction(trace, precachePlan, [...clusters, platform]);
  system.hub.put(anUpgrade({ preCaching: false }));
  await system.batch();
  return system;
}

async function latePolicy(trace: Recorder) {
  trace.scenario("Its policy is missing, and is created later");
  const system = await settledFunction(trace, precachePlan, clusters);
  system.hub.put(anUpgrade());
  await system.batch();
  trace.say("Somebody creates the policy.");
  system.hub.put(platform);
  await system.batch();
  await system.batch();
  return system;
}

async function changedConfig(trace: Recorder) {
  trace.scenario("Its PreCachingConfig changes after planning");
  const reference = { preCachingConfigRef: { name: "config" } };
  const system = await settledFunction(trace, precachePlan, [
    ...clusters,
    platform,
    anUpgrade(reference),
    aPreCachingConfig({ spaceRequired: "40 GiB" }),
  ]);
  await system.change(aPreCachingConfig({ spaceRequired: "60 GiB" }));
  await system.batch();
  await system.batch();
  return system;
}

async function besideTalm(trace: Recorder) {
  trace.scenario("TALM runs on this hub, and plans what is not annotated");
  const system = await settledFunction(trace, precachePlan, [...clusters, platform, talmLease()]);
  system.hub.put(anUpgrade());
  await system.batch();
  return system;
}

async function noSuchUpgrade(trace: Recorder) {
  trace.scenario("An event about an upgrade that does not exist");
  const system = await settledFunction(trace, precachePlan, [...clusters, platform]);
  system.notify("add", { ...kinds.ClusterGroupUpgrade, namespace: "ztp", name: "never-existed" });
  await system.batch();
  return system;
}

export const precachePlanStory: Story = {
  controller: precachePlan,
  introduction:
    "A ClusterGroupUpgrade with its policies becomes a pre-cache plan in its status, and a hint about each cluster.",
  scenarios: [requested, notRequested, latePolicy, changedConfig, besideTalm, noSuchUpgrade],
};
