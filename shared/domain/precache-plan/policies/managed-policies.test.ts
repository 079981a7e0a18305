import { describe, expect, test } from "vitest";
import {
  aCatalogSource,
  anUpgrade,
  aPolicy,
  aWantedRelease,
  copiesOf,
  releaseImage,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import {
  actionsOf,
  clusters,
  codesOf,
  index,
  lastOf,
  plan,
  platform,
} from "../../../../test/support/precache/precache-planning.ts";
import { planInputsOf } from "../plan-input.ts";
import { planPrecache } from "../plan-precache.ts";
import { notQueried } from "./update-graph.ts";

describe("managed policies", () => {
  test("When no cluster is selected, a policy that exists should not be missing", () => {
    const objects = [platform, anUpgrade({ clusters: undefined, clusterSelector: ["site=nowhere"] })];
    expect(lastOf(plan({ objects }))).toEqual([
      "Validated",
      "True",
      "ValidationCompleted",
      "Completed validation",
    ]);
    expect(codesOf(plan({ objects }))).toEqual(["warning NoClusterSelected"]);
  });

  const elsewhere = aPolicy("platform", [aWantedRelease()], undefined, { namespace: "other" });
  const malformed = aPolicy("broken", [], undefined, { "policy-templates": [{ objectDefinition: {} }] });

  test.for([
    {
      what: "are missing",
      managedPolicies: ["platform", "b", "a"],
      objects: [platform],
      condition: ["Validated", "False", "NotAllManagedPoliciesExist", "Missing managed policies: [b a] "],
    },
    {
      what: "are malformed",
      managedPolicies: ["broken", "a"],
      objects: [malformed],
      condition: ["Validated", "False", "NotAllManagedPoliciesExist", "Invalid managed policies: [broken] "],
    },
    {
      what: "are there twice",
      managedPolicies: ["platform"],
      objects: [platform, elsewhere],
      condition: [
        "Validated",
        "False",
        "AmbiguousManagedPoliciesNames",
        'Managed policy name should be unique, but was found in multiple namespaces: {"platform":["other","policies"]} ',
      ],
    },
    {
      what: "depend on a later one",
      managedPolicies: ["operators", "platform"],
      objects: [
        platform,
        aPolicy("operators", [aCatalogSource(index)], undefined, {
          dependencies: [{ name: "platform", namespace: "policies" }],
        }),
      ],
      condition: [
        "Validated",
        "False",
        "UnresolvableDenpendency",
        "Managed Policy operators depends on platform, which is to be remediated later",
      ],
    },
  ])("When they $what, it should say so as TALM does", ({ managedPolicies, objects, condition }) => {
    expect(lastOf(plan({ objects: [anUpgrade({ managedPolicies }), ...objects] }))).toEqual(condition);
  });

  test.for([
    {
      what: "are missing",
      managedPolicies: ["platform", "b", "a"],
      objects: [platform],
      reported: [["ClusterGroupUpgrade", "spec.managedPolicies", ["b", "a"]]],
    },
    {
      what: "are malformed",
      managedPolicies: ["platform", "broken"],
      objects: [platform, malformed],
      reported: [
        ["Policy", "spec.policy-templates[0].objectDefinition.metadata", undefined],
        ["ClusterGroupUpgrade", "spec.managedPolicies", ["broken"]],
      ],
    },
  ])(
    "When they $what, it should report which, and what is wrong with each",
    ({ managedPolicies, objects, reported }) => {
      const { issues } = plan({ objects: [anUpgrade({ managedPolicies }), ...objects] });
      expect(issues.map(({ object, path, value }) => [object.kind, path, value])).toEqual(reported);
    },
  );

  test("When a policy is enforced, it should be left out, with a warning", () => {
    const objects = [
      anUpgrade(),
      aPolicy("platform", [aWantedRelease()], undefined, { remediationAction: "Enforce" }),
    ];
    expect(codesOf(plan({ objects }))).toEqual(["warning PolicyEnforced"]);
  });

  test("When the copies still hold a hub template, the policy should be invalid", () => {
    const unresolved = aPolicy("platform", [aWantedRelease({ channel: "{{hub .c hub}}" })]);
    expect(lastOf(plan({ objects: [anUpgrade(), unresolved] }))[3]).toBe(
      "Invalid managed policies: [platform] ",
    );
    expect(plan({ objects: [anUpgrade(), unresolved] }).issues[0]).toMatchObject({
      code: "PolicyInvalid",
      object: { kind: "Policy", name: "platform" },
      message: expect.stringContaining("did not resolve its hub templates for sno1, sno2"),
    });
  });

  test.for([
    { what: "alike", images: [releaseImage, releaseImage], image: releaseImage },
    { what: "for each cluster differently", images: [releaseImage, "quay.io/other:4.20.3"], image: "" },
    { what: "for no cluster", images: ["{{hub .image hub}}", "{{hub .image hub}}"], image: "" },
  ])("When the hub resolved templates $what, the release should be '$image'", ({ images, image }) => {
    const withImage = (name: string) =>
      aPolicy("platform", [aWantedRelease({ desiredUpdate: { image: name } })]);
    const copies = images.flatMap((name, index) => copiesOf(withImage(name), [`sno${index + 1}`]));
    const objects = [...clusters, anUpgrade(), withImage("{{hub .image hub}}"), ...copies];
    const [input] = planInputsOf(objects, "4.20");
    expect(input && planPrecache({ ...input, lookup: () => notQueried }).plan.spec.platformImage).toBe(image);
  });

  test("When only the policies themselves were read, it should be the same plan", () => {
    const [input] = planInputsOf([...clusters, anUpgrade(), platform], "4.20");
    expect(input && planPrecache({ ...input, lookup: () => notQueried }).plan).toEqual(
      plan({ objects: [anUpgrade(), platform] }),
    );
  });

  test.for([
    { what: "is disabled", policy: aPolicy("platform", [aWantedRelease()], undefined, { disabled: true }) },
    { what: "is bound to no cluster of the hub", policy: { ...platform, status: {} } },
    { what: "has no status on the hub", policy: { ...platform, status: undefined } },
  ])("When a policy $what, it should be missing, as it is to TALM", ({ policy }) => {
    const [input] = planInputsOf([...clusters, anUpgrade(), policy], "4.20");
    expect(input && lastOf(planPrecache({ ...input, lookup: () => notQueried }).plan)[3]).toBe(
      "Missing managed policies: [platform] ",
    );
  });

  test("When a policy of a file has no status, it should count for every cluster", () => {
    const { uid: _, ...metadata } = platform.metadata;
    const [input] = planInputsOf([...clusters, anUpgrade(), { ...platform, metadata, status: {} }], "4.20");
    expect(input && actionsOf(planPrecache({ ...input, lookup: () => notQueried }).plan)).toEqual({
      sno1: "precache",
      sno2: "precache",
    });
  });
});
