import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../mirrors/fixtures.ts";
import { aHostedCluster } from "./fixtures.ts";
import { type HostedOptions, reportHostedClusters } from "./hosted-cluster-report.ts";
import { explainHostedImage } from "./overrides/explain.ts";

const location = fc.constantFrom(
  "quay.io",
  "quay.io/openshift-release-dev",
  "quay.io:5000/ns",
  "registry.redhat.io/redhat",
  "*.io",
  "m.lan:5000/x/y",
  "m.lan",
  "BAD:x/y",
  "a,b=c",
  "",
);
const anything = fc.jsonValue({ maxDepth: 2 });
const rule = fc.oneof(
  { arbitrary: fc.record({ source: location, mirrors: fc.array(location, { maxLength: 3 }) }), weight: 4 },
  { arbitrary: anything, weight: 1 },
);
const mirrorObjects = fc
  .array(
    fc.tuple(
      fc.constantFrom(anImageDigestMirrorSet, anImageTagMirrorSet, anImageContentSourcePolicy),
      fc.array(rule, { maxLength: 3 }),
    ),
    { maxLength: 4 },
  )
  .map((sets) => sets.map(([make, rules], index) => make(`set-${index}`, rules)));

const fields = {
  release: anything,
  capabilities: fc.oneof(anything, fc.constant({ disabled: ["Ingress", "ImageRegistry"] })),
  imageContentSources: fc.oneof(anything, fc.array(rule, { maxLength: 2 })),
  olmCatalogPlacement: fc.oneof(anything, fc.constantFrom("guest", "management")),
  configuration: anything,
  pausedUntil: anything,
};
const annotations = fc.dictionary(
  fc.constantFrom(
    "hypershift.openshift.io/olm-catalogs-is-registry-overrides",
    "hypershift.openshift.io/redhat-operators-catalog-image",
  ),
  fc.oneof(fc.string(), fc.constant("registry.redhat.io=m.lan,=,x")),
);
const clusters = fc
  .array(
    fc.record({
      spec: fc.oneof(
        fc.record(fields, { requiredKeys: [] }),
        fc.record({ capabilities: fields.capabilities }),
      ),
      annotations,
      status: anything,
    }),
    { maxLength: 3 },
  )
  .map((all) => all.map((given, index) => aHostedCluster({ name: `cluster-${index}`, ...given })));
const options = fc.record<HostedOptions>({
  releaseVersion: fc.constantFrom(undefined, "4.18.3", "foo"),
  toRelease: fc.constantFrom(undefined, "4.21.0"),
});

test("When objects are arbitrary, every HostedCluster should have a report, with every list", () => {
  fc.assert(
    fc.property(clusters, mirrorObjects, options, (hosted, mirrors, chosen) => {
      const { clusters: reports } = reportHostedClusters([...mirrors, ...hosted], chosen);
      expect(reports.map(({ name }) => name)).toEqual(hosted.map(({ metadata }) => metadata.name));
      for (const { registryOverrides, env, olmCatalogs, imageContentSources } of reports) {
        expect(Object.values(registryOverrides).every((list) => list.length > 0)).toBe(true);
        expect(typeof env.OPENSHIFT_IMG_OVERRIDES).toBe("string");
        for (const list of [olmCatalogs, imageContentSources]) expect(list).toBeInstanceOf(Array);
      }
    }),
  );
});

test("When objects come in another order, it should report the same", () => {
  fc.assert(
    fc.property(clusters, mirrorObjects, options, (hosted, mirrors, chosen) => {
      const objects: readonly KubernetesObject[] = [...mirrors, ...hosted];
      const reported = (given: readonly KubernetesObject[]) =>
        reportHostedClusters(given, chosen).clusters.map(({ issues: _, ...report }) => report);
      expect(reported(objects.toReversed())).toEqual(reported(objects));
    }),
  );
});

test("When an image is explained, at most one location should be taken, and all others should have a reason", () => {
  const image = fc.constantFrom(
    "quay.io/openshift-release-dev/ocp-release:4",
    `quay.io:5000/ns/app@sha256:${"d".repeat(64)}`,
    "docker.io/nginx",
    "nginx:1",
    "BAD/x",
  );
  const chosen = fc.record({ isRelease: fc.boolean() });
  fc.assert(
    fc.property(image, mirrorObjects, chosen, (name, mirrors, how) => {
      const explanation = explainHostedImage(name, mirrors, how);
      if ("problem" in explanation) return;
      const { candidates } = explanation;
      expect(candidates.filter(({ taken }) => taken).length).toBeLessThanOrEqual(1);
      for (const { taken, reason, reference } of candidates) {
        expect(taken).toBe(reason === null);
        if (taken) expect(reference).not.toBeNull();
      }
      expect(candidates.at(-1)).toMatchObject({ mirror: null });
    }),
  );
});
