import { describe, expect, test } from "vitest";
import {
  aCatalogSource,
  anImageBasedUpgrade,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aSubscription,
  aWantedRelease,
  digestOf,
  releaseImage,
} from "../../../test/support/precache/precache-plan-objects.ts";
import {
  actionsOf,
  codesOf,
  index,
  lastOf,
  operators,
  plan,
  platform,
  ref,
  userImage,
} from "../../../test/support/precache/precache-planning.ts";

describe("a plan that can be made", () => {
  test("When policies ask for a release and operators, it should have all of them and every condition", () => {
    const made = plan({
      objects: [anUpgrade({ managedPolicies: ["platform", "operators"] }), platform, operators],
    });
    expect(made).toEqual({
      namespace: "ztp",
      name: "upgrade",
      spec: {
        platformImage: releaseImage,
        operatorsIndexes: [index],
        operatorsPackagesAndChannels: ["ptp-operator:stable", "sriov-network-operator:stable"],
        excludePrecachePatterns: [],
        additionalImages: [],
        spaceRequired: "35",
      },
      conditions: [
        {
          type: "ClustersSelected",
          status: "True",
          reason: "ClusterSelectionCompleted",
          message: "All selected clusters are valid",
        },
        { type: "Validated", status: "True", reason: "ValidationCompleted", message: "Completed validation" },
        {
          type: "PrecacheSpecValid",
          status: "True",
          reason: "PrecacheSpecIsWellFormed",
          message: "Precaching spec is valid and consistent",
        },
        {
          type: "PrecachingSuceeded",
          status: "False",
          reason: "InProgress",
          message: "Precaching is required and not done",
        },
      ],
      clusters: [
        { name: "sno1", action: "precache", reason: "It does not comply with policy platform." },
        { name: "sno2", action: "precache", reason: "It does not comply with policy platform." },
      ],
      issues: [],
    });
  });

  test("When a policy is met already, its operators should be pre-cached, after those that are not", () => {
    const met = aPolicy("operators", [aCatalogSource(index), aSubscription("ptp-operator", "stable")], {
      sno1: "Compliant",
      sno2: "Compliant",
    });
    const objects = [anUpgrade({ managedPolicies: ["operators", "platform"] }), met, platform];
    expect(plan({ objects }).spec).toMatchObject({ platformImage: releaseImage, operatorsIndexes: [index] });
  });

  test("When only one cluster does not comply, it should be the only one", () => {
    const policy = aPolicy("platform", [aWantedRelease()], { sno1: "Compliant", sno2: "Pending" });
    expect(actionsOf(plan({ objects: [anUpgrade(), policy] }))).toEqual({
      sno1: "leave out",
      sno2: "precache",
    });
  });

  test("When all comply, no condition of pre-caching should appear", () => {
    const policy = aPolicy("platform", [aWantedRelease()], { sno1: "Compliant", sno2: "Compliant" });
    const made = plan({ objects: [anUpgrade(), policy] });
    expect(made.conditions.map(({ type }) => type)).toEqual(["ClustersSelected", "Validated"]);
    expect(actionsOf(made)).toEqual({ sno1: "leave out", sno2: "leave out" });
  });

  test("When an ImageBasedGroupUpgrade handles a cluster, it should be left alone with the reason", () => {
    const handling = anImageBasedUpgrade({}, { clusters: [{ name: "sno2" }] });
    const objects = [anUpgrade(), platform, handling];
    const { clusters } = plan({ objects });
    expect(clusters).toMatchObject([
      { name: "sno1", action: "precache" },
      {
        name: "sno2",
        action: "leave out",
        reason: expect.stringContaining("ImageBasedGroupUpgrade ztp/ibgu"),
      },
    ]);
  });

  test("When the rollout is one of ManifestWorks, every cluster should be pre-cached", () => {
    const cgu = anUpgrade({ ...ref, managedPolicies: [], manifestWorkTemplates: ["app"] });
    const config = aPreCachingConfig({ overrides: { platformImage: releaseImage } });
    expect(actionsOf(plan({ objects: [cgu, config] }))).toEqual({ sno1: "precache", sno2: "precache" });
  });
});

describe("fields of another type than the API has", () => {
  test.each([
    ["spec.preCaching", { preCaching: "true" }],
    ["spec.clusters", { clusters: "sno1" }],
    ["spec.managedPolicies", { managedPolicies: [1] }],
    ["spec.clusterLabelSelectors", { clusterLabelSelectors: { matchLabels: {} } }],
    ["spec.remediationStrategy", { remediationStrategy: "all" }],
    ["spec.remediationStrategy.maxConcurrency", { remediationStrategy: { maxConcurrency: "10" } }],
  ])("When %s has another type, it should be reported once, with its path", (path, spec) => {
    const wrongTypes = plan({ objects: [platform, anUpgrade(spec)] })
      .issues.filter(({ path: at }) => at.startsWith(path))
      .map(({ code, path: at, severity }) => `${severity} ${code} ${at}`);
    expect(wrongTypes).toContain(`error InvalidType ${path}`);
    expect(wrongTypes.join()).not.toContain("MaxConcurrencyMissing");
  });

  test("When a label of a selector is a number, it should be reported, with its path", () => {
    const wave = anUpgrade({ clusterLabelSelectors: [{ matchLabels: { wave: 1 } }] });
    expect(plan({ objects: [platform, wave] }).issues[0]).toMatchObject({
      code: "InvalidSelector",
      path: "spec.clusterLabelSelectors[0].matchLabels",
      message: "Labels must be a map of strings",
    });
  });

  test("When a selector has an unknown field, it should be reported: the API server drops it", () => {
    const typo = anUpgrade({ clusterLabelSelectors: [{ matchlabels: { site: "oslo" } }] });
    const { issues } = plan({ objects: [platform, typo] });
    expect(issues.find(({ code }) => code === "UnknownField")).toMatchObject({
      severity: "error",
      path: "spec.clusterLabelSelectors[0].matchlabels",
      value: undefined,
    });
  });

  test.for([
    { timeout: -1, codes: ["warning TimeoutIgnored"] },
    { timeout: 0, codes: ["warning TimeoutIgnored"] },
    { timeout: 1, codes: [] },
  ])("When a timeout is $timeout, it should report $codes", ({ timeout, codes }) => {
    const cgu = anUpgrade({ remediationStrategy: { maxConcurrency: 1, timeout } });
    expect(codesOf(plan({ objects: [platform, cgu], hubVersion: "4.20" }))).toEqual(codes);
  });

  test("When a PreCachingConfig has a field in the wrong place, the issue should name the right place", () => {
    const config = aPreCachingConfig({ platformImage: "a/b", overrides: { additionalImages: [] }, speed: 1 });
    const { issues, conditions } = plan({ objects: [platform, config, anUpgrade(ref)] });
    expect(issues.map(({ code, path, remedy }) => `${code} ${path}: ${remedy}`)).toEqual([
      "UnknownField spec.platformImage: Write it below spec.overrides.",
      "UnknownField spec.speed: Remove it, or correct its name; the fields here are overrides, spaceRequired, excludePrecachePatterns, additionalImages.",
      "UnknownField spec.overrides.additionalImages: Write it below spec.",
    ]);
    expect(conditions.at(-1)).toMatchObject({ type: "PrecachingSuceeded" });
  });
});

describe("the PreCachingConfig of an upgrade", () => {
  test("When it has more errors than a condition can hold, the message should be cut", () => {
    const operatorsIndexes = Array.from({ length: 1_000 }, (_, index) => `quay.io/acme/app${index}@sha256:1`);
    const objects = [anUpgrade({ ...ref }), platform, aPreCachingConfig({ overrides: { operatorsIndexes } })];
    const [type, status, , message = ""] = lastOf(plan({ objects }));
    expect([type, status]).toEqual(["PrecacheSpecValid", "False"]);
    expect(message.length).toBeLessThan(32_768);
    expect(message).toMatch(/app0@.*…/s);
  });
});

describe("what makes a plan", () => {
  const users = (additionalImages: readonly unknown[], spec = {}) => [
    anUpgrade({ ...ref, managedPolicies: [], ...spec }),
    aPreCachingConfig({ additionalImages }),
  ];

  test("When there are only additional images, every cluster should get them, compliant or not", () => {
    const made = plan({ objects: users([userImage]) });
    expect(made.spec).toMatchObject({ platformImage: "", additionalImages: [userImage] });
    expect(actionsOf(made)).toEqual({ sno1: "precache", sno2: "precache" });
  });

  test.for([
    ["quay.io/acme/app:v1", "The image has no digest"],
    ["quay.io/acme/app", "The image has no digest"],
    [`acme/app@${digestOf("1")}`, "It is not a full image reference"],
    ["busybox", "It is not a full image reference"],
    ["quay.io/acme/app@sha256:123", "It is not a full image reference"],
    [`quay.io/acme/appN@${digestOf("1")}`, "It is not a full image reference"],
    ["", "It is not a full image reference"],
  ] as const)("When an additional image is $0, it should be left out, with what is wrong", ([image, why]) => {
    const made = plan({ objects: users([userImage, image, image]) });
    expect(made.issues).toMatchObject(
      [1, 2].map((index) => ({
        code: "AdditionalImageInvalid",
        severity: "error",
        path: `spec.additionalImages[${index}]`,
        value: image,
        message: expect.stringContaining(why),
      })),
    );
    expect(made.spec.additionalImages).toEqual([userImage]);
    expect(actionsOf(made)).toEqual({ sno1: "precache", sno2: "precache" });
  });

  test("When no additional image is usable, clusters that comply should have nothing to pull", () => {
    const compliant = aPolicy("platform", [aWantedRelease()], { sno1: "NonCompliant", sno2: "Compliant" });
    const objects = [...users(["quay.io/acme/app:v1"], { managedPolicies: ["platform"] }), compliant];
    expect(actionsOf(plan({ objects }))).toEqual({ sno1: "precache", sno2: "leave out" });
    const nothing = plan({ objects: users(["quay.io/acme/app:v1"]) });
    expect(actionsOf(nothing)).toEqual({ sno1: "leave out", sno2: "leave out" });
    expect(codesOf(nothing)).toEqual(["error AdditionalImageInvalid"]);
  });

  test.for([
    { overrides: { platformImage: "quay.io/acme/release@sha256:123" }, path: "spec.overrides.platformImage" },
    { overrides: { preCacheImage: "quay.io/acme/work@sha256:" }, path: "spec.overrides.preCacheImage" },
    {
      overrides: { operatorsIndexes: [index, `quay.io/acme/index@md5:${"1".repeat(32)}`] },
      path: "spec.overrides.operatorsIndexes[1]",
    },
  ])("When the digest at $path is malformed, nothing should start", ({ overrides, path }) => {
    const objects = [anUpgrade({ ...ref, managedPolicies: ["platform", "operators"] }), platform, operators];
    const made = plan({ objects: [...objects, aPreCachingConfig({ overrides })] });
    expect(made.issues).toMatchObject([
      { code: "OverrideImageInvalid", severity: "error", object: { kind: "PreCachingConfig" }, path },
    ]);
    expect(lastOf(made)[2]).toBe("PrecacheSpecIncomplete");
    expect(actionsOf(made)).toEqual({ sno1: "wait", sno2: "wait" });
  });

  test.for([
    {
      what: "an index has no packages",
      policy: aPolicy("platform", [aCatalogSource(index)]),
      message: "olm index provided, but no packages",
    },
    { what: "there is nothing", policy: aPolicy("platform", []), message: "no software spec provided" },
  ])("When $what, it should say so as TALM does", ({ policy, message }) => {
    expect(lastOf(plan({ objects: [anUpgrade(), policy] }))).toEqual([
      "PrecacheSpecValid",
      "False",
      "PrecacheSpecIncomplete",
      `Precaching spec is incomplete: inconsistent precaching configuration: ${message}`,
    ]);
  });

  test("When fields are missing or of another group, they should be left out", () => {
    const policy = aPolicy("platform", [
      aWantedRelease(),
      aCatalogSource(index),
      aCatalogSource(undefined),
      aSubscription("ptp-operator", "stable"),
      aSubscription("ptp-operator", "stable"),
      aSubscription("no-channel"),
      { ...aSubscription("a-number"), spec: { name: "a-number", channel: 4.18 } },
      { ...aSubscription("a-whole-number"), spec: { name: "a-whole-number", channel: 4 } },
      aSubscription("app", "git", "apps.open-cluster-management.io/v1"),
    ]);
    const made = plan({ objects: [anUpgrade(), policy] });
    expect(made.spec).toMatchObject({
      operatorsIndexes: [index],
      operatorsPackagesAndChannels: ["ptp-operator:stable"],
    });
    expect(codesOf(made)).toEqual(Array(4).fill("warning FieldMissing"));
  });
});
