import { describe, expect, test } from "vitest";
import { anUpgrade } from "../../../test/support/precache/precache-plan-objects.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { emptySpec } from "./precaching-spec.ts";
import { chosenWorkloadImage, runImage, withWorkloadImage, workloadImageOf } from "./workload-image.ts";

const ofDeployment = "registry.lab:8443/hubrelay/precache-workload:2";
const other = "registry.lab:8443/hubrelay/precache-workload:1";
const annotation = "hubrelay.dev/workload-image";
const annotated = (image: string) => anUpgrade({}, { annotations: { own: "x", [annotation]: image } });

describe("the recorded workload image", () => {
  test.for([
    { what: "none", cgu: anUpgrade(), image: "" },
    { what: "an empty one", cgu: annotated(""), image: "" },
    { what: "what is no image", cgu: annotated("$imageUrl"), image: "" },
    { what: "one", cgu: annotated(other), image: other },
  ])('When an upgrade records $what, it should be "$image"', ({ cgu, image }) => {
    expect(workloadImageOf(cgu)).toBe(image);
    expect(withWorkloadImage(cgu, image)).toBe(cgu);
  });

  test("When another one is recorded, only its annotation should change", () => {
    expect(withWorkloadImage(annotated("quay.io/old:1"), other)).toEqual(annotated(other));
    expect(withWorkloadImage(anUpgrade(), other).metadata.annotations).toEqual({ [annotation]: other });
  });
});

describe("the workload image of a plan", () => {
  const spec = { ...emptySpec, spaceRequired: "35" };
  const withStates = (
    status: Readonly<Record<string, string>>,
    stored: object = { spaceRequired: "35" },
  ) => ({ ...annotated("quay.io/old:1"), status: { precaching: { spec: stored, status } } });
  const succeeded = { sno1: "Active", sno2: "Succeeded" };
  const [own, old] = ["quay.io/acme/workload:v1", "quay.io/old:1"];
  const failed = withStates({ sno1: "Active", sno2: "PrecacheTimeout" });
  const otherContent = withStates(succeeded, { spaceRequired: "50" });
  test.for<readonly [what: string, cgu: KubernetesObject, chosen: string, requested?: string]>([
    ["nothing else names one", annotated(other), ofDeployment],
    ["a PreCachingConfig names one", withStates(succeeded), own, own],
    ["a cluster has succeeded", withStates(succeeded), old],
    ["one has, and no image is recorded", withWorkloadImage(withStates(succeeded), ""), ofDeployment],
    ["no cluster has succeeded", failed, ofDeployment],
    ["a cluster has succeeded with other content", otherContent, ofDeployment],
  ])("When $0, it should be $2", ([, cgu, chosen, requested = ""]) => {
    expect(chosenWorkloadImage(cgu, { spec, requested, ofDeployment })).toBe(chosen);
  });
});

test.for([
  { profile: "standard", recorded: other, image: other },
  { profile: "standard", recorded: "", image: ofDeployment },
  { profile: "hardened", recorded: other, image: ofDeployment },
])(
  'When the profile is $profile and "$recorded" is recorded, $image should run',
  ({ profile, recorded, image }) => {
    expect(runImage(recorded, { profile, workloadImage: ofDeployment })).toBe(image);
  },
);
