import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aRun, objectsOf } from "../../../test/support/oc-mirror/cluster-resources.ts";
import { inWaves, waveOf, withoutRun } from "./waves.ts";

const run = aRun();
const other: KubernetesObject = { apiVersion: "v1", kind: "Secret", metadata: { name: "other" } };
const nameOf = ({ kind, metadata }: KubernetesObject) => `${kind}/${metadata.name}`;

test("When oc-mirror does not write a kind, it should have no wave, and come last", () => {
  expect(waveOf(other)).toBeUndefined();
  expect(inWaves([other, ...objectsOf(run)]).map(nameOf)).toEqual([
    "ConfigMap/mirrored-release-signatures",
    "ImageDigestMirrorSet/idms-operator-0",
    "ImageDigestMirrorSet/idms-release-0",
    "ImageTagMirrorSet/itms-release-0",
    "CatalogSource/cs-redhat-operator-index-v4-20",
    "ClusterCatalog/cc-redhat-operator-index-v4-20",
    "UpdateService/update-service-oc-mirror",
    "Secret/other",
  ]);
});

test("When a run is written, what changes with each run should not be", () => {
  const spec = {
    imageDigestMirrors: [
      { source: "b", mirrors: ["2"] },
      { mirrors: ["none"] },
      "text",
      { source: "a", mirrors: ["1"] },
    ],
    imageTagMirrors: [{ source: "d" }, { source: "c" }],
    other: ["z", "y"],
  };
  const written = withoutRun({
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: {
      name: "idms",
      labels: { kept: "" },
      annotations: { createdAt: "now", createdBy: "oc-mirror v2" },
    },
    spec,
  });
  expect(written).toEqual({
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name: "idms", labels: { kept: "" }, annotations: { createdBy: "oc-mirror v2" } },
    spec: {
      imageDigestMirrors: [
        { mirrors: ["none"] },
        "text",
        { source: "a", mirrors: ["1"] },
        { source: "b", mirrors: ["2"] },
      ],
      imageTagMirrors: [{ source: "c" }, { source: "d" }],
      other: ["z", "y"],
    },
  });
  expect(spec.imageTagMirrors).toEqual([{ source: "d" }, { source: "c" }]);
});

const dated = { ...other, metadata: { name: "other", annotations: { createdAt: "now" } } };
test.for<readonly [what: string, object: KubernetesObject, written: KubernetesObject]>([
  ["only annotations that change with each run", dated, other],
  ["neither annotations nor spec", other, other],
  ["a spec that is not an object", { ...other, spec: "text" }, { ...other, spec: "text" }],
])("When an object has $0, no field should be added", ([, object, written]) => {
  expect(withoutRun(object)).toStrictEqual(written);
});
