import { describe, expect, test } from "vitest";
import { imageSetOf, imagesToMirror } from "./image-set.ts";
import { mergeWanted, type Origin } from "./wanted-images.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("imageSetOf", () => {
  const release = `quay.io/ocp/release@${digest}`;
  const ofRelease: Origin = { kind: "release", release, version: "4.20.4" };
  const ofCatalog: Origin = {
    kind: "catalog",
    index: "r.io/index:v4.20",
    package: "sriov",
    channel: "stable",
  };
  const wanted = mergeWanted([
    { image: "q.io/a", origin: ofRelease },
    { image: "q.io/b", origin: ofCatalog },
    { image: "q.io/b", origin: { kind: "image" } },
    { image: "q.io/c", origin: { kind: "image" } },
  ]);

  test("When images of several origins are missing, it should mirror the release, the operator and the image", () => {
    expect(imageSetOf(["q.io/a", "q.io/b", "q.io/c"], wanted, ["amd64"])).toEqual({
      apiVersion: "mirror.openshift.io/v2alpha1",
      kind: "ImageSetConfiguration",
      mirror: {
        platform: {
          channels: [{ name: "stable-4.20", minVersion: "4.20.4", maxVersion: "4.20.4" }],
          architectures: ["amd64"],
        },
        operators: [
          { catalog: "r.io/index:v4.20", packages: [{ name: "sriov", channels: [{ name: "stable" }] }] },
        ],
        additionalImages: [{ name: "q.io/c" }],
      },
    });
  });

  test("When only some are missing, it should leave out the rest, and name a release without a version", () => {
    expect(imageSetOf(["q.io/c"], wanted, ["amd64"])).toMatchObject({
      mirror: { additionalImages: [{ name: "q.io/c" }] },
    });
    const unnamed = mergeWanted([
      { image: release, origin: { kind: "release", release, version: undefined } },
    ]);
    expect(imageSetOf([release], unnamed, ["amd64"])).toMatchObject({ mirror: { platform: { release } } });
  });

  test("When images are not ready, it should mirror those that mirroring helps", () => {
    const judged = (["ready", "source-only", "unauthorized", "missing"] as const).map((status) => ({
      image: `q.io/${status}`,
      status,
      from: null,
      bytes: null,
      tried: [],
    }));
    expect(imagesToMirror(judged)).toEqual(["q.io/missing", "q.io/source-only"]);
  });
});
