import { describe, expect, test } from "vitest";
import {
  anOverridesConfigMap,
  anUpgrade,
  aPreCachingConfig,
  releaseImage,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import {
  codesOf,
  index,
  lastOf,
  operators,
  plan,
  platform,
  ref,
} from "../../../../test/support/precache/precache-planning.ts";

describe("where values come from", () => {
  const configMap = anOverridesConfigMap({
    "platform.image": "quay.io/from-config-map",
    "operators.indexes": "quay.io/index-a \n\nquay.io/index-b\n",
    "operators.packagesAndChannels": "a:stable\nb:stable",
    excludePrecachePatterns: "aws\n  \nvsphere",
    "precache.spaceRequired": "40 GiB",
  });
  const config = aPreCachingConfig({
    overrides: {
      platformImage: "quay.io/from-config",
      operatorsIndexes: ["quay.io/index-c"],
      operatorsPackagesAndChannels: ["c:stable"],
    },
    excludePrecachePatterns: ["azure"],
    spaceRequired: "50 GiB",
  });
  const cgu = anUpgrade({ ...ref, managedPolicies: ["platform", "operators"] });
  const all = [cgu, platform, operators, config, configMap];

  test("When a PreCachingConfig has a value, it should go before the ConfigMap and the policies", () => {
    expect(plan({ objects: all }).spec).toEqual({
      platformImage: "quay.io/from-config",
      operatorsIndexes: ["quay.io/index-c"],
      operatorsPackagesAndChannels: ["c:stable"],
      excludePrecachePatterns: ["azure"],
      additionalImages: [],
      spaceRequired: "50",
    });
  });

  test("When only the ConfigMap has them, it should go before the policies and be reported as deprecated", () => {
    const made = plan({
      objects: [anUpgrade({ managedPolicies: ["platform", "operators"] }), platform, operators, configMap],
    });
    expect(made.spec).toMatchObject({
      platformImage: "quay.io/from-config-map",
      operatorsIndexes: ["quay.io/index-a", "quay.io/index-b"],
      excludePrecachePatterns: ["aws", "vsphere"],
      spaceRequired: "40",
    });
    expect(codesOf(made)).toEqual(Array(5).fill("warning DeprecatedConfigMap"));
    expect(made.issues[0]?.message).toBe(
      "Deprecation warning: using cluster-group-upgrade-overrides ConfigMap to override the default value for platform.image is deprecated. Please use PreCachingConfig CR.",
    );
  });

  test("When the profile is hardened, release and indexes should come from the policies alone", () => {
    expect(plan({ objects: all, options: { profile: "hardened" } }).spec).toMatchObject({
      platformImage: releaseImage,
      operatorsIndexes: [index],
      operatorsPackagesAndChannels: ["c:stable"],
      excludePrecachePatterns: ["azure"],
      spaceRequired: "50",
    });
  });

  test("When a list is empty, it should not clear that of the next source", () => {
    const empty = aPreCachingConfig({ overrides: { operatorsIndexes: [], platformImage: "" } });
    expect(plan({ objects: [cgu, platform, operators, empty] }).spec).toMatchObject({
      platformImage: releaseImage,
      operatorsIndexes: [index],
    });
  });

  test("When the reference has no namespace, it should be that of the ClusterGroupUpgrade", () => {
    const elsewhere = aPreCachingConfig({ spaceRequired: "99 GiB" }, { namespace: "other" });
    expect(plan({ objects: [cgu, platform, operators, config, elsewhere] }).spec.spaceRequired).toBe("50");
  });

  test("When the PreCachingConfig does not exist, it should say so as TALM does", () => {
    expect(lastOf(plan({ objects: [cgu, platform, operators] }))[3]).toBe(
      'Precaching spec is incomplete: failed to get PreCachingConfig resource due to PreCachingConfig.ran.openshift.io "config" not found',
    );
  });

  test("When spaceRequired is no amount, it should say so as TALM does", () => {
    const objects = [anUpgrade(ref), platform, aPreCachingConfig({ spaceRequired: "thirty" })];
    expect(lastOf(plan({ objects }))[3]).toBe(
      "Precaching spec is incomplete: failed to get PreCachingConfig resource due to invalid size: 'thirty'",
    );
  });

  test("When spaceRequired has no unit, the issue should show how little that is", () => {
    const made = plan({ objects: [anUpgrade(ref), platform, aPreCachingConfig({ spaceRequired: "30" })] });
    expect(codesOf(made)).toEqual(["warning SpaceInBytes"]);
    expect(made.spec.spaceRequired).toBe("1");
  });

  const skipped = "Not a package and a channel separated by a colon; it is skipped.";
  test.for<Readonly<{ packages: readonly string[]; wrong?: string; message?: string }>>([
    { packages: ["a:stable", "b:v1"] },
    { packages: [" a : stable "] },
    { packages: ["a:stable", "a:stable"] },
    { packages: ["a"], wrong: "a", message: skipped },
    { packages: [":stable"], wrong: ":stable", message: skipped },
    { packages: ["b:v1", "a:"], wrong: "a:", message: skipped },
    { packages: ["a:stable:v1"], wrong: "a:stable:v1", message: skipped },
    {
      packages: ["a:stable", "b:v1", "a: v2"],
      wrong: "a: v2",
      message: "The package is named before with channel stable; only the last channel counts.",
    },
  ])("When the packages are $packages, a warning should be about: $wrong", ({ packages, wrong, message }) => {
    const overrides = { operatorsIndexes: [index], operatorsPackagesAndChannels: packages };
    const { issues } = plan({ objects: [cgu, platform, operators, aPreCachingConfig({ overrides })] });
    const path = "spec.overrides.operatorsPackagesAndChannels";
    const warning = { code: "PackageEntryInvalid", severity: "warning", path, value: wrong, message };
    expect(issues).toMatchObject(wrong === undefined ? [] : [warning]);
    expect(issues).toHaveLength(wrong === undefined ? 0 : 1);
  });

  test("When packages are maps, they should be read with a hint", () => {
    const maps = aPreCachingConfig({
      overrides: { operatorsIndexes: [index], operatorsPackagesAndChannels: [{ "ptp-operator": "stable" }] },
    });
    const objects = [anUpgrade(ref), platform, maps];
    const made = plan({ objects });
    expect(made.spec.operatorsPackagesAndChannels).toEqual(["ptp-operator:stable"]);
    expect(codesOf(made)).toEqual(["warning PackageAsMap"]);
  });
});
