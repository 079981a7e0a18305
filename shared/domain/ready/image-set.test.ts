import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { imageSetConfiguration } from "../../../test/support/oc-mirror/image-set-configuration.ts";
import { imageSetOf, imagesToMirror } from "./image-set.ts";
import { mergeWanted, type Origin, type SelectedPackage } from "./wanted-images.ts";

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

  test.for<{ what: string; packages: readonly SelectedPackage[]; expected: object }>([
    { what: "is the default one of the catalog", packages: [{ name: "sriov" }], expected: { name: "sriov" } },
    {
      what: "is not the default one",
      packages: [{ name: "sriov", channel: "4.19", defaultChannel: "stable" }],
      expected: { name: "sriov", channels: [{ name: "4.19" }], defaultChannel: "4.19" },
    },
    {
      what: "is one of several with the default one",
      packages: [sriov, { name: "sriov", channel: "4.19", defaultChannel: "stable" }, sriov],
      expected: { name: "sriov", channels: [{ name: "4.19" }, { name: "stable" }] },
    },
    {
      what: "is of a catalog that could not be read",
      packages: [{ name: "sriov", channel: "4.19" }],
      expected: { name: "sriov", channels: [{ name: "4.19" }] },
    },
  ])("When the channel of a package $what, it should be named as oc-mirror needs it", (given) => {
    expect(mirrorOf([aCatalog(given.packages)]).operators?.[0]?.packages).toEqual([given.expected]);
  });

  test.for<{ what: string; origins: readonly Origin[]; architectures?: readonly string[]; expected: object }>(
    [
      {
        what: "two versions of one minor release",
        origins: [aRelease("4.20.10"), aRelease("4.20.9"), aRelease("4.20.9")],
        expected: {
          channels: [
            { name: "stable-4.20", minVersion: "4.20.9", maxVersion: "4.20.10", shortestPath: true },
          ],
        },
      },
      {
        what: "versions of two minor releases",
        origins: [aRelease("4.20.1"), aRelease("4.9.1")],
        expected: {
          channels: [
            { name: "stable-4.9", minVersion: "4.9.1", maxVersion: "4.9.1" },
            { name: "stable-4.20", minVersion: "4.20.1", maxVersion: "4.20.1" },
          ],
        },
      },
      {
        what: "a release candidate",
        origins: [aRelease("4.21.0-rc.1")],
        expected: {
          channels: [{ name: "candidate-4.21", minVersion: "4.21.0-rc.1", maxVersion: "4.21.0-rc.1" }],
        },
      },
      {
        what: "a release for nodes of several architectures",
        origins: [aRelease("4.20.4")],
        architectures: ["amd64", "arm64"],
        expected: { architectures: ["multi"] },
      },
      {
        what: "a release of 5.0 for nodes of several architectures",
        origins: [aRelease("5.0.1")],
        architectures: ["amd64", "arm64"],
        expected: {
          platforms: [
            { os: "linux", architecture: "amd64" },
            { os: "linux", architecture: "arm64" },
          ],
        },
      },
      {
        what: "a release of 5.0 beside one whose oc-mirror refuses platforms",
        origins: [aRelease("5.0.1"), aRelease("4.22.4")],
        architectures: ["amd64", "arm64"],
        expected: { architectures: ["multi"] },
      },
      {
        what: "a release of 5.0 for nodes of one architecture",
        origins: [aRelease("5.0.1")],
        expected: { architectures: ["amd64"] },
      },
      {
        what: "a release whose version is only in its tag",
        origins: [aRelease(undefined, "quay.io/ocp/release:4.20.4-x86_64")],
        expected: { channels: [{ name: "stable-4.20", minVersion: "4.20.4", maxVersion: "4.20.4" }] },
      },
      {
        what: "a release without a version",
        origins: [aRelease(undefined)],
        expected: { release: image("release") },
      },
    ],
  )("When it is $what, it should be mirrored as that", ({ origins, architectures, expected }) => {
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
