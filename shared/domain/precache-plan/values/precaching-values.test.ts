import fc from "fast-check";
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
import { parseSpaceRequired } from "./precaching-values.ts";

const sizes = [
  ["35 GiB", "35"],
  ["35GiB", "35"],
  ["38.5 GiB", "39"],
  ["1e3 GiB", "1000"],
  ["30G", "28"],
  ["30GB", "28"],
  ["40 GB", "38"],
  ["50GIB", "47"],
  ["30", "1"],
  ["1073741824", "1"],
  ["1073741825 B", "2"],
  ["2500000 KB", "3"],
  ["2500000 KiB", "3"],
  ["3100 MiB", "4"],
  ["2 TB", "1863"],
  ["1 PiB", "1048576"],
  ["30 gib", "30"],
  ["30Gi", "30"],
  ["1.5Ti", "1536"],
  ["1048576 Mi", "1024"],
  [" 45 GiB ", "45"],
  ["0", "0"],
  ["0.5", "0"],
] as const;

const refusals = [
  ...[
    "thirty",
    "",
    "-10 GiB",
    "10  GiB",
    "1,5 GiB",
    "abc 123",
    "0x10 GiB",
    "1_000 GiB",
    "1.2.3 GiB",
    ". GiB",
  ],
  ...["1e400", "123 ab", "30 EiB", "30 GiBs", "30 bits", "1e30 GiB", "NaN GiB", "GiB"],
];

test.for(sizes)("When the space is %j, it should be %s GiB", ([text, gib]) => {
  expect(parseSpaceRequired(text)).toBe(gib);
});

test.for(refusals)("When the space is %j, it should be refused", (text) => {
  expect(parseSpaceRequired(text)).toBeUndefined();
});

test("When it is any text, it should be whole GiB or refused", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc
      .tuple(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.constantFrom("", " "),
        fc.constantFrom("GiB", "gb", "T", "Mi", "", "b"),
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      expect(parseSpaceRequired(given) ?? "0").toMatch(/^\d+$/);
    }),
  );
});

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
    { packages: ["a:stable:a.v1"] },
    { packages: ["a:stable:"], wrong: "a:stable:", message: skipped },
    { packages: ["a:stable:v1:v2"], wrong: "a:stable:v1:v2", message: skipped },
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
