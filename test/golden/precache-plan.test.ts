import { test } from "vitest";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { expectGolden, settledFunction } from "../support/golden/scenarios.ts";
import { goldenTrace } from "../support/golden/trace.ts";
import { aClusterVersion } from "../support/hub/objects.ts";
import { talmLease } from "../support/precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../support/precache/precache-plan-objects.ts";

const trace = goldenTrace(
  "precache-plan",
  "A ClusterGroupUpgrade with its policies becomes a pre-cache plan in its status, and a hint about each cluster.",
);
const platform = aPolicy("platform", [aWantedRelease()]);
const clusters = [aManagedCluster("sno1"), aManagedCluster("sno2"), aClusterVersion()];

test("When precache-plan handles events, it should do what precache-plan.md shows", async () => {
  trace.scenario("A ClusterGroupUpgrade requests pre-caching");
  const planned = await settledFunction(trace, precachePlan, [...clusters, platform]);
  planned.hub.put(anUpgrade());
  await planned.batch();

  trace.scenario("One that does not request it");
  const other = await settledFunction(trace, precachePlan, [...clusters, platform]);
  other.hub.put(anUpgrade({ preCaching: false }));
  await other.batch();

  trace.scenario("Its policy is missing, and is created later");
  const early = await settledFunction(trace, precachePlan, clusters);
  early.hub.put(anUpgrade());
  await early.batch();
  trace.say("Somebody creates the policy.");
  early.hub.put(platform);
  await early.batch();
  await early.batch();

  trace.scenario("Its PreCachingConfig changes after planning");
  const reference = { preCachingConfigRef: { name: "config" } };
  const configured = await settledFunction(trace, precachePlan, [
    ...clusters,
    platform,
    anUpgrade(reference),
    aPreCachingConfig({ spaceRequired: "40 GiB" }),
  ]);
  await configured.change(aPreCachingConfig({ spaceRequired: "60 GiB" }));
  await configured.batch();
  await configured.batch();

  trace.scenario("TALM runs on this hub, and plans what is not annotated");
  const beside = await settledFunction(trace, precachePlan, [...clusters, platform, talmLease()]);
  beside.hub.put(anUpgrade());
  await beside.batch();

  trace.scenario("An event about an upgrade that does not exist");
  const empty = await settledFunction(trace, precachePlan, [...clusters, platform]);
  empty.notify("add", { ...kinds.ClusterGroupUpgrade, namespace: "ztp", name: "never-existed" });
  await empty.batch();
  await expectGolden(trace);
});
