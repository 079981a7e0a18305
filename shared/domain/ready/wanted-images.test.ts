import { expect, test } from "vitest";
import { listedRelease, taggedRelease } from "./wanted-images.ts";

test("When a ClusterVersion lists a version, its image should be that of the list", () => {
  const update = (version: string) => ({ version, image: `q.io/r@${version}` });
  const clusterVersion = {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    status: {
      desired: update("4.20.3"),
      availableUpdates: [update("4.20.4")],
      conditionalUpdates: [{ release: update("4.20.5") }, null],
      history: [update("4.19.9"), 1],
    },
  };
  const found = ["4.20.3", "4.20.4", "4.20.5", "4.19.9", "4.21.0"].map((version) =>
    listedRelease(clusterVersion, version),
  );
  expect(found).toEqual(["q.io/r@4.20.3", "q.io/r@4.20.4", "q.io/r@4.20.5", "q.io/r@4.19.9", undefined]);
  expect(listedRelease({ ...clusterVersion, status: { availableUpdates: 1 } }, "4.20.3")).toBeUndefined();
});

test("When no ClusterVersion lists it, its tag should name the architecture", () => {
  const of = (...architectures: readonly string[]) => taggedRelease("4.20.4", architectures).split(":")[1];
  expect([of("amd64"), of("arm64"), of("s390x"), of("amd64", "arm64")]).toEqual([
    "4.20.4-x86_64",
    "4.20.4-aarch64",
    "4.20.4-s390x",
    "4.20.4-multi",
  ]);
});

test("When no architecture is known, the tag should be that of amd64", () => {
  expect(taggedRelease("4.20.4", [])).toBe("quay.io/openshift-release-dev/ocp-release:4.20.4-x86_64");
});

test.for([{ image: "" }, { image: 1 }, {}])(
  "When a ClusterVersion lists a version with $image as its image, it should be as if it did not",
  (listed) => {
    const clusterVersion = {
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterVersion",
      metadata: { name: "version" },
      status: { desired: { version: "4.20.3", ...listed } },
    };
    expect(listedRelease(clusterVersion, "4.20.3")).toBeUndefined();
    expect(listedRelease(undefined, "4.20.3")).toBeUndefined();
  },
);
