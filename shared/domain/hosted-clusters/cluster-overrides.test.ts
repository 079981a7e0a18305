import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../mirrors/fixtures.ts";
import { imagesOf, overridesOf, relevantSources } from "./cluster-overrides.ts";
import { aReadHostedCluster } from "./fixtures.ts";
import { overridesLikeHypershift } from "./overrides/hub-overrides.ts";

const rule = (source: string, ...mirrors: readonly string[]) => ({ source, mirrors });
const fromElsewhere = { spec: { release: { image: "registry.lan:5000/ocp/release:4.20.4" } } };

/** The given sources that a cluster's overrides keep. */
function kept(sources: readonly string[], ...given: Parameters<typeof imagesOf>): readonly string[] {
  const set = anImageDigestMirrorSet(
    "a",
    sources.map((source) => rule(source, "m.lan/x")),
  );
  return [...overridesOf(overridesLikeHypershift([set]), imagesOf(...given)).overrides.keys()];
}

describe("overridesOf", () => {
  test("When a release is OpenShift's own, it should keep only the sources of its images and catalogs", () => {
    const relevant = [
      "*.io",
      "quay.io",
      "quay.io/openshift-release-dev",
      "quay.io/openshift-release-dev/ocp-release",
      "quay.io/openshift-release-dev/ocp-v4.0-art-dev",
      "registry.redhat.io/redhat",
      "registry.redhat.io/redhat/community-operator-index",
    ];
    const others = [
      "docker.io",
      "quay.io/openshift-release",
      "quay.io/openshift-release-dev/ocp-release-nightly",
      "quay.io:443",
      "registry.redhat.io/ubi9",
    ];
    expect(kept([...others, ...relevant], aReadHostedCluster())).toEqual(relevant);
  });

  test("When the location of a release's images is unknown, it should keep every source", () => {
    const sources = ["docker.io", "quay.io"];
    expect(kept(sources, aReadHostedCluster(fromElsewhere))).toEqual(sources);
    expect(kept(sources, aReadHostedCluster({ spec: { release: {} } }))).toEqual(sources);
    const mixed = { spec: { controlPlaneRelease: { image: "registry.lan:5000/ocp/release:4.21.0" } } };
    expect(kept(sources, aReadHostedCluster(mixed))).toEqual(sources);
  });

  test("When the release has been read, it should keep the sources of its images", () => {
    const payload = ["quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:1", "ghcr.io/team/patch:1"];
    const sources = ["docker.io", "ghcr.io/team", "quay.io", "registry.lan:5000/ocp"];
    expect(kept(sources, aReadHostedCluster(fromElsewhere), payload)).toEqual(sources.slice(1));
  });

  test("When annotations name other catalogs, it should keep the sources of these too", () => {
    const annotations = {
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides":
        "registry.redhat.io=m.lan,registry.redhat.io/redhat=n.lan/olm",
      "hypershift.openshift.io/redhat-operators-catalog-image": "o.lan/index@sha256:1",
    };
    const sources = ["m.lan/redhat", "n.lan/olm/redhat-operator-index", "o.lan/index", "p.lan"];
    expect(kept(sources, aReadHostedCluster({ annotations }))).toEqual(sources.slice(0, 3));
  });

  test("When a release is OpenShift 5, by digest, it should keep the sources of both repositories of its images", () => {
    const sources = [4, 5, 6].map((major) => `quay.io/openshift-release-dev/ocp-v${major}.0-art-dev`);
    const image = `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`;
    const cluster = aReadHostedCluster({
      spec: { release: { image } },
      status: { version: { desired: { version: "5.0.1" } } },
    });
    expect(kept(sources, cluster)).toEqual(sources.slice(0, 2));
  });

  test("When rules are wrong, it should report those that may apply to the cluster", () => {
    const rules = [rule("docker.io/ns", "BAD:x"), rule("quay.io", "BAD:y"), rule("BAD:z", "m.lan")];
    const hub = overridesLikeHypershift([anImageDigestMirrorSet("a", rules)]);
    const { issues, text } = overridesOf(hub, imagesOf(aReadHostedCluster()));
    expect(text).toBe("quay.io=BAD:y");
    expect(issues.map(({ code, value }) => [code, value])).toEqual([
      ["DroppedPair", "BAD:y"],
      ["DroppedPair", "BAD:z"],
    ]);
    expect(overridesOf(hub)).toMatchObject({ text: "BAD:z=m.lan,docker.io/ns=BAD:x,quay.io=BAD:y" });
  });
});

const clusterNames = ["a", "b", "c"];
/** Three clusters whose images are known, each in a namespace of its own. */
const clusters = clusterNames.map((name) =>
  imagesOf(aReadHostedCluster({ name, spec: { release: { image: `reg.lan/${name}/release:4.20.4` } } }), [
    `reg.lan/${name}/images@sha256:1`,
  ]),
);
const textOf = (objects: Parameters<typeof overridesLikeHypershift>[0], index: number) => {
  const images = clusters[index];
  return images ? overridesOf(overridesLikeHypershift(objects), images).text : "";
};

describe("the text of the overrides", () => {
  const mirrors = fc.uniqueArray(fc.constantFrom("m.lan/x", "n.lan/x", "o.lan/x"), { minLength: 1 });
  const source = fc.constantFrom(
    "reg.lan",
    "*.lan",
    "reg.lan/a",
    "reg.lan/a/release",
    "reg.lan/b/images",
    "reg.lan/b/other",
    "reg.lan/c-not",
    "reg.lan:5000",
    "other.lan",
    "BAD:x/y",
  );
  const set = fc.array(fc.record({ source, mirrors }), { maxLength: 4 });
  const objects = (digest: readonly unknown[], tag: readonly unknown[]) => [
    anImageDigestMirrorSet("d", digest),
    anImageTagMirrorSet("t", tag),
  ];
  const indexes = clusters.map((_, index) => index);
  /** The clusters that a change of these sources can affect. */
  const touched = (sources: Iterable<string>) =>
    indexes.filter((index) => {
      const relevant = clusters[index] && relevantSources(clusters[index]);
      return relevant && !relevant.isDisjointFrom(new Set(sources));
    });

  test("When mirror objects change, the text of unaffected clusters should not change", () => {
    fc.assert(
      fc.property(set, set, set, (before, after, tag) => {
        const old = objects(before, tag);
        const now = objects(after, tag);
        const affected = touched([...before, ...after].map((rule) => rule.source));
        for (const index of indexes.filter((one) => !affected.includes(one)))
          expect(textOf(now, index)).toBe(textOf(old, index));
      }),
    );
  });

  test("When the mirrors of a source change, the text of every affected cluster should change", () => {
    const valid = source.filter((one) => !one.startsWith("BAD"));
    // Distinct mirrors, because repeating those of a nearer source has no effect.
    const others = fc.array(fc.record({ source: valid, mirrors: fc.constant(["p.lan/x"]) }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(valid, mirrors, mirrors, others, (changing, before, after, rest) => {
        fc.pre(before.toSorted().join() !== after.toSorted().join());
        const kept = rest.filter((one) => one.source !== changing);
        const old = objects([...kept, { source: changing, mirrors: before }], []);
        const now = objects([...kept, { source: changing, mirrors: after }], []);
        const affected = touched([changing]);
        for (const index of indexes)
          expect(textOf(now, index) !== textOf(old, index)).toBe(affected.includes(index));
      }),
    );
  });
});
