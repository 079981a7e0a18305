import { describe, expect, test } from "vitest";
import { anUpgrade } from "../../../../test/support/precache/precache-plan-objects.ts";
import { emptySpec } from "./precaching-spec.ts";
import { chosenWorkloadImage, runImage, withWorkloadImage, workloadImageOf } from "./workload-image.ts";

const byDefault = "quay.io/hubrelay/precache-workload:0.1.0";
const other = "registry.lab:8443/hubrelay/precache-workload:1";
const annotation = "hubrelay.dev/workload-image";
const annotated = (image: string) => anUpgrade({}, { annotations: { own: "x", [annotation]: image } });

describe("the recorded workload image", () => {
  test.for([
    { what: "none", cgu: anUpgrade(), image: byDefault },
    { what: "an empty one", cgu: annotated(""), image: byDefault },
    { what: "one", cgu: annotated(other), image: other },
  ])("When an upgrade records $what, it should be $image", ({ cgu, image }) => {
    expect(workloadImageOf(cgu)).toBe(image);
    expect(withWorkloadImage(cgu, image)).toBe(cgu);
  });

  test("When another one is recorded, only its annotation should change; the default needs none", () => {
    const recorded = withWorkloadImage(annotated("quay.io/old:1"), other);
    expect(recorded).toEqual(annotated(other));
    expect(withWorkloadImage(recorded, byDefault).metadata.annotations).toEqual({ own: "x" });
    expect(withWorkloadImage(anUpgrade(), other).metadata.annotations).toEqual({ [annotation]: other });
  });
});

describe("the workload image of a plan", () => {
  const spec = { ...emptySpec, spaceRequired: "35" };
  const withStates = (
    status: Readonly<Record<string, string>>,
    stored: object = { spaceRequired: "35" },
  ) => ({
    ...annotated("quay.io/old:1"),
    status: { precaching: { spec: stored, status } },
  });
  const succeeded = { sno1: "Active", sno2: "Succeeded" };
  test.for([
    { what: "nothing names one", cgu: annotated(other), chosen: byDefault },
    { what: "the deployment has one", cgu: anUpgrade(), ofDeployment: other, chosen: other },
    {
      what: "a PreCachingConfig names one",
      cgu: withStates(succeeded),
      requested: "quay.io/acme/workload:v1",
      ofDeployment: other,
      chosen: "quay.io/acme/workload:v1",
    },
    {
      what: "a cluster has succeeded",
      cgu: withStates(succeeded),
      ofDeployment: other,
      chosen: "quay.io/old:1",
    },
    {
      what: "no cluster has succeeded",
      cgu: withStates({ sno1: "Active", sno2: "PrecacheTimeout" }),
      ofDeployment: other,
      chosen: other,
    },
    {
      what: "a cluster has succeeded with other content",
      cgu: withStates(succeeded, { spaceRequired: "50" }),
      ofDeployment: other,
      chosen: other,
    },
  ])("When $what, it should be $chosen", ({ cgu, requested = "", ofDeployment, chosen }) => {
    expect(chosenWorkloadImage(cgu, { spec, requested, ofDeployment })).toBe(chosen);
  });
});

test.for([
  { profile: "seed", workloadImage: other, image: "quay.io/acme/workload:v1" },
  { profile: "hardened", workloadImage: other, image: other },
  { profile: "hardened", workloadImage: undefined, image: byDefault },
])(
  "When the profile is $profile and the deployment has $workloadImage, $image should run",
  ({ image, ...of }) => {
    expect(runImage("quay.io/acme/workload:v1", of)).toBe(image);
  },
);
