import { describe, expect, test } from "vitest";
import {
  aManagedCluster,
  anOverridesConfigMap,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
} from "../../../test/support/precache/precache-plan-objects.ts";
import { type KubernetesObject, referenceTo } from "../kubernetes/object.ts";
import { windowObject } from "../windows/fixtures.ts";
import { isMadeFrom, windowFacts } from "./plan-dependencies.ts";
import { planningFacts } from "./selection/cluster-facts.ts";

const elsewhere = { metadata: { name: "cluster-group-upgrade-overrides", namespace: "edge" } };
const selecting = anUpgrade({ clusters: undefined, clusterSelector: ["site=a"] });
const waiting = anUpgrade({}, { annotations: { "hubrelay.dev/enable-after-precaching": "window" } });
const named = { "hubrelay.dev/maintenance-window": "fleet/night" };
const naming = anUpgrade({ preCachingConfigRef: { name: "config" } });

describe("what a plan is made from", () => {
  test.each<readonly [string, KubernetesObject, KubernetesObject, boolean]>([
    ["a managed policy", naming, aPolicy("platform", []), true],
    ["a policy that is not managed", naming, aPolicy("other", []), false],
    ["a copy of a managed policy", naming, aPolicy("policies.platform", []), false],
    ["a cluster that it names", naming, aManagedCluster("sno1"), true],
    ["a cluster that it does not name", naming, aManagedCluster("sno9"), false],
    ["a cluster that a selector may match", selecting, aManagedCluster("sno9"), true],
    ["its PreCachingConfig", naming, aPreCachingConfig({}), true],
    ["another PreCachingConfig", naming, aPreCachingConfig({}, { namespace: "edge" }), false],
    ["a window, when its rollout waits for some", waiting, windowObject(), true],
    ["a window, when it names some", anUpgrade({}, { annotations: named }), windowObject(), true],
    ["a window, when its PreCachingConfig may name some", naming, windowObject(), true],
    ["a window, when it has nothing to do with any", selecting, windowObject(), false],
    ["any PreCachingConfig, when it names none", selecting, aPreCachingConfig({}), false],
    ["the ConfigMap of its namespace", naming, anOverridesConfigMap({}), true],
    ["the ConfigMap of another namespace", naming, { ...anOverridesConfigMap({}), ...elsewhere }, false],
  ])("When the object is %s, it should report whether the plan depends on it", (_, cgu, source, isSource) => {
    expect(isMadeFrom(cgu, referenceTo(source))).toBe(isSource);
  });

  test("When an object stands for many of its kind, every upgrade that depends on one of them should match", () => {
    expect(isMadeFrom(naming, referenceTo(aManagedCluster("sno9")), true)).toBe(true);
    expect(isMadeFrom(naming, referenceTo(aPolicy("other", [])), true)).toBe(true);
    expect(isMadeFrom(anUpgrade({ managedPolicies: [] }), referenceTo(aPolicy("p", [])), true)).toBe(false);
  });
});

describe("what matters about a managed cluster", () => {
  const before = aManagedCluster("sno1");
  const leaving = Object.assign({ deletionTimestamp: "2026-03-01T02:00:00Z" }, before.metadata);

  test("When its conditions or its capacity change, nothing should", () => {
    const status = { ...Object(before.status), capacity: { cpu: "8" }, conditions: [{ type: "x" }] };
    expect(planningFacts({ ...before, status })).toBe(planningFacts(before));
  });

  test.each<readonly [string, KubernetesObject]>([
    ["a label", aManagedCluster("sno1", { labels: { site: "b" } })],
    ["its version", aManagedCluster("sno1", { version: "4.20.0" })],
    ["its topology", aManagedCluster("sno1", { topology: "HighlyAvailable" })],
    ["that it is being deleted", { ...before, metadata: leaving }],
  ])("When %s changes, it should count", (_, after) => {
    expect(planningFacts(after)).not.toBe(planningFacts(before));
  });
});

test("When a window is rescheduled, its digest should change, and not when its status changes", () => {
  const before = windowObject();
  expect(windowFacts({ ...before, status: { open: true, waiting: 3 } })).toBe(windowFacts(before));
  expect(windowFacts(windowObject({ schedule: "0 3 * * *" }))).not.toBe(windowFacts(before));
});
