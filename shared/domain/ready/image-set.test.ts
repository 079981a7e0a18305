import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { imageSetConfiguration } from "../../../test/support/oc-mirror/image-set-configuration.ts";
import type { SelectedPackage } from "./catalog-selection.ts";
import { imageSetOf, imagesToMirror } from "./image-set.ts";
import { mergeWanted, type Origin } from "./wanted-images.ts";

const digest = `sha256:${"a".repeat(64)}`;
const image = (name: string) => `quay.io/ocp/${name}@${digest}`;
const byName: Origin = { kind: "image" };
const aRelease = (version: string | undefined, release = image("release")): Origin => ({
  kind: "release",
  release,
  version,
});
const aCatalog = (packages: readonly SelectedPackage[], index = "r.io/index:v4.20"): Origin => ({
  kind: "catalog",
  index,
  packages,
});

/** The configuration that mirrors an image of each origin. */
function mirrorOf(origins: readonly Origin[], architectures: readonly string[] = ["amd64"]) {
  const images = origins.map((origin, index) => ({ image: `q.io/i${index}`, origin }));
  const wanted = mergeWanted([...images, { image: "q.io/there", origin: byName }]);
  const made = imageSetOf(
    images.map((one) => one.image),
    wanted,
    architectures,
  );
  return imageSetConfiguration.parse(made).mirror;
}

describe("imageSetOf", () => {
  const sriov = { name: "sriov", channel: "stable", defaultChannel: "stable" };

  test("When images of several origins are missing, it should mirror the release, the operator and the image", () => {
    expect(mirrorOf([aRelease("4.20.4"), aCatalog([sriov]), byName])).toEqual({
      platform: {
        channels: [{ name: "stable-4.20", minVersion: "4.20.4", maxVersion: "4.20.4" }],
        architectures: ["amd64"],
      },
      operators: [
        { catalog: "r.io/index:v4.20", packages: [{ name: "sriov", channels: [{ name: "stable" }] }] },
      ],
      additionalImages: [{ name: "q.io/i2" }],
    });
  });

  test("When an image has another origin than its name, it should not be mirrored by name as well", () => {
    const wanted = mergeWanted([
      { image: "q.io/b", origin: aCatalog([sriov]) },
      { image: "q.io/b", origin: byName },
    ]);
    expect(imageSetOf(["q.io/b"], wanted, ["amd64"])).not.toHaveProperty("mirror.additionalImages");
  });

  test("When one image of a catalog is missing, every package that is needed of it should be named", () => {
    const both = aCatalog([sriov, { name: "ptp", channel: "stable", defaultChannel: "stable" }]);
    expect(mirrorOf([both]).operators?.[0]?.packages?.map(({ name }) => name)).toEqual(["sriov", "ptp"]);
    expect(mirrorOf([both, aCatalog([])]).operators).toEqual([{ catalog: "r.io/index:v4.20" }]);
  });

  const old: SelectedPackage = { name: "sriov", channel: "4.19", defaultChannel: "stable" };
  const channels = (...names: readonly string[]) => names.map((name) => ({ name }));
  const notDefault = { name: "sriov", channels: channels("4.19"), defaultChannel: "4.19" };
  const unread = [{ name: "sriov", channel: "4.19" }];

  test.for<readonly [what: string, packages: readonly SelectedPackage[], expected: object]>([
    ["is the default one of the catalog", [{ name: "sriov" }], { name: "sriov" }],
    ["is not the default one", [old], notDefault],
    ["is one of several", [sriov, old, sriov], { name: "sriov", channels: channels("4.19", "stable") }],
    ["is of an unread catalog", unread, { name: "sriov", channels: channels("4.19") }],
  ])(
    "When the channel of a package $0, it should be named as oc-mirror needs it",
    ([, packages, expected]) => {
      expect(mirrorOf([aCatalog(packages)]).operators?.[0]?.packages).toEqual([expected]);
    },
  );

  const channel = (name: string, minVersion: string, maxVersion = minVersion) => {
    return { name, minVersion, maxVersion };
  };
  const twice = [aRelease("4.20.10"), aRelease("4.20.9"), aRelease("4.20.9")];
  const twiceWanted = { ...channel("stable-4.20", "4.20.9", "4.20.10"), shortestPath: true };
  const two = [channel("stable-4.9", "4.9.1"), channel("stable-4.20", "4.20.1")];
  const inTag = aRelease(undefined, "quay.io/ocp/release:4.20.4-x86_64");
  const candidate = channel("candidate-4.21", "4.21.0-rc.1");
  const both = ["amd64", "arm64"];
  const platforms = both.map((architecture) => ({ os: "linux", architecture }));
  const mixed = [aRelease("5.0.1"), aRelease("4.22.4")];

  test.for<readonly [what: string, origins: readonly Origin[], expected: object, architectures?: string[]]>([
    ["two versions of one minor release", twice, { channels: [twiceWanted] }],
    ["versions of two minor releases", [aRelease("4.20.1"), aRelease("4.9.1")], { channels: two }],
    ["a release candidate", [aRelease("4.21.0-rc.1")], { channels: [candidate] }],
    ["one for nodes of several architectures", [aRelease("4.20.4")], { architectures: ["multi"] }, both],
    ["a release of 5.0 for several architectures", [aRelease("5.0.1")], { platforms }, both],
    ["one beside an oc-mirror that refuses platforms", mixed, { architectures: ["multi"] }, both],
    ["a release of 5.0 for one architecture", [aRelease("5.0.1")], { architectures: ["amd64"] }],
    ["one with a version only in its tag", [inTag], { channels: [channel("stable-4.20", "4.20.4")] }],
    ["a release without a version", [aRelease(undefined)], { release: image("release") }],
  ])("When it is $0, it should be mirrored as that", ([, origins, expected, architectures]) => {
    expect(mirrorOf(origins, architectures).platform).toMatchObject(expected);
  });

  test("When a release without a version is not the only one, its image should be mirrored by name", () => {
    const other = image("other");
    expect(mirrorOf([aRelease(undefined, other), aRelease("4.20.4")])).toMatchObject({
      platform: { channels: [{ name: "stable-4.20" }] },
      additionalImages: [{ name: other }],
    });
    expect(mirrorOf([aRelease(undefined, other), aRelease(undefined)])).toMatchObject({
      platform: { release: other },
      additionalImages: [{ name: image("release") }],
    });
  });

  test("When anything is missing, oc-mirror should accept the configuration", () => {
    const version = fc.option(fc.constantFrom("4.9.1", "4.20.3", "4.20.10", "4.21.0-rc.1", "5.0.1"), {
      nil: undefined,
    });
    const selected = fc.record(
      {
        name: fc.constantFrom("a", "b"),
        channel: fc.constantFrom("x", "y"),
        defaultChannel: fc.constant("x"),
      },
      { requiredKeys: ["name"] },
    );
    const origin = fc.oneof(
      fc.constant(byName),
      version.map((one) => aRelease(one)),
      version.map((one) => aRelease(one, image("other"))),
      fc
        .tuple(fc.array(selected, { maxLength: 4 }), fc.constantFrom("r.io/one:v1", "r.io/two:v1"))
        .map(([packages, index]) => aCatalog(packages, index)),
    );
    const architectures = fc.subarray(["amd64", "arm64", "s390x"], { minLength: 1 });
    fc.assert(
      fc.property(fc.array(origin, { maxLength: 6 }), architectures, (origins, some) => {
        mirrorOf(origins, some);
      }),
    );
  });
});

test("When images are not ready, those should be mirrored that mirroring helps", () => {
  const judged = (["ready", "source-only", "unauthorized", "missing"] as const).map((status) => ({
    image: `q.io/${status}`,
    status,
    from: null,
    bytes: null,
    tried: [],
  }));
  expect(imagesToMirror(judged)).toEqual(["q.io/missing", "q.io/source-only"]);
});
