import { describe, expect, test } from "vitest";
import { fieldsOf } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { admissionPolicy } from "../../test/support/hub/admission-policy.ts";
import { ownedByAnother } from "../../test/support/hub/objects.ts";
import { anUpgrade } from "../../test/support/precache/precache-plan-objects.ts";

test.for(["clusters", "managedPolicies", "remediationStrategy"])(
  "When planning changes %s of the rollout, it should be refused",
  async (field) => {
    const upgrades = await admissionPolicy("write-guard-upgrades.yaml", "hubrelay-precache-upgrades");
    const before = anUpgrade();
    const account = "hubrelay-precache-plan";
    expect(upgrades.responseTo({ account, before, after: before })).toBe("admitted");
    const after = { ...before, spec: { ...fieldsOf(before.spec), [field]: ["other"] } };
    expect(upgrades.responseTo({ account, before, after })).toContain(
      "no field of a ClusterGroupUpgrade but enable",
    );
  },
);

test("When an account of pre-caching gives a ClusterGroupUpgrade an owner, it should be refused", async () => {
  const upgrades = await admissionPolicy("write-guard-upgrades.yaml", "hubrelay-precache-upgrades");
  const before = {
    apiVersion: "ran.openshift.io/v1alpha1",
    kind: "ClusterGroupUpgrade",
    metadata: { namespace: "default", name: "upgrade" },
    spec: {},
  };
  for (const name of ["hubrelay-precache-plan", "hubrelay-precache-status"])
    expect(upgrades.responseTo({ account: name, before, after: ownedByAnother(before) })).toContain(
      "no ownerReferences",
    );
});

describe("the policies for conditions of a ClusterGroupUpgrade", async () => {
  const file = "write-guard-upgrades.yaml";
  const progress = await admissionPolicy(file, "hubrelay-precache-progress");
  const plans = await admissionPolicy(file, "hubrelay-precache-plans");
  const withConditions = (...types: readonly string[]): KubernetesObject => ({
    apiVersion: "ran.openshift.io/v1alpha1",
    kind: "ClusterGroupUpgrade",
    metadata: { namespace: "default", name: "upgrade" },
    spec: {},
    status: { conditions: types.map((type) => ({ type, status: "True", reason: "R", message: "" })) },
  });
  const before = withConditions("Validated");
  const own = ["PrecachingSuceeded", "PrecacheImagesReady"];

  test.for(own)("When %s is written, only precache-status should be admitted", (type) => {
    const after = withConditions("Validated", type);
    expect(progress.responseTo({ account: "hubrelay-precache-status", before, after })).toBe("admitted");
    expect(progress.responseTo({ account: "hubrelay-precache-status", before: after, after: before })).toBe(
      "admitted",
    );
    expect(plans.responseTo({ account: "hubrelay-precache-plan", before, after })).toContain(
      "Only precache-status writes the progress",
    );
  });

  test("When precache-status writes a condition of the plan or the rollout, it should be refused", () => {
    const after = withConditions("Validated", "Succeeded");
    expect(progress.responseTo({ account: "hubrelay-precache-status", before, after })).toContain(
      "the conditions PrecachingSuceeded and PrecacheImagesReady only",
    );
  });
});

test("When precache-ready writes an Event of another function, it should be refused", async () => {
  const events = await admissionPolicy("write-guard-upgrades.yaml", "hubrelay-precache-ready-events");
  const eventOf = (name: string): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace: "default", name: "e", labels: { "hubrelay.dev/function": name } },
  });
  const account = "hubrelay-precache-ready";
  expect(events.responseTo({ account, after: eventOf("precache-ready") })).toBe("admitted");
  expect(events.responseTo({ account, after: eventOf("precache-plan") })).toContain("its own Events only");
});
