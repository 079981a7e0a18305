import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aRun, objectsOf } from "../../../test/support/oc-mirror/cluster-resources.ts";
import { afterImport, compareWithHub } from "./compare.ts";
import { waveOf } from "./waves.ts";

const run = aRun();
const changed = (object: KubernetesObject): KubernetesObject => ({ ...object, spec: { other: true } });
const shuffled = fc.shuffledSubarray([...objectsOf(run)]);

test("When a run is applied, comparing it again should find no change, whatever the hub held and in whatever order", () => {
  fc.assert(
    fc.property(shuffled, shuffled, fc.boolean(), (made, held, isOther) => {
      const hub = isOther ? held.map(changed) : held;
      const before = compareWithHub(made, hub);
      const own = before.filter(({ change }) => change !== "stale");
      expect(own).toHaveLength(made.length);
      const waves = own.map(({ object }) => waveOf(object));
      expect(waves).toEqual(waves.toSorted());
      const after = compareWithHub(made, afterImport(made, hub));
      const found = new Set(after.map(({ change }) => change));
      expect(found.has("new") || found.has("changed")).toBe(false);
      // What is stale stays.
      const staleIn = (compared: typeof before) =>
        compared.filter(({ change }) => change === "stale").map(({ object }) => object.metadata.name);
      expect(staleIn(after)).toEqual(staleIn(before));
    }),
  );
});

test.for<readonly [what: string, object: KubernetesObject, isStale: boolean]>([
  ["annotation of oc-mirror", run.cs, true],
  ["name of oc-mirror only", { ...run.itms, metadata: { name: "itms-generic-0" } }, true],
  [
    "name of oc-mirror after something else",
    { ...run.itms, metadata: { name: "own-itms-generic-0" } },
    false,
  ],
  [
    "annotation of another program",
    { ...run.cs, metadata: { ...run.cs.metadata, annotations: { createdBy: "someone" } } },
    false,
  ],
  ["annotation of oc-mirror and a kind that it does not write", { ...run.cs, kind: "Subscription" }, false],
  [
    "label of its first version and another kind",
    { ...run.cs, metadata: { name: "own", labels: { "operators.openshift.org/catalog": "true" } } },
    false,
  ],
  [
    "kind of its first version without the label",
    {
      apiVersion: "operator.openshift.io/v1alpha1",
      kind: "ImageContentSourcePolicy",
      metadata: { name: "operator-0" },
    },
    false,
  ],
  ["name of a person's", { ...run.itms, metadata: { name: "own" } }, false],
  [
    "label of oc-mirror's first version",
    {
      apiVersion: "operator.openshift.io/v1alpha1",
      kind: "ImageContentSourcePolicy",
      metadata: { name: "operator-0", labels: { "operators.openshift.org/catalog": "true" } },
    },
    true,
  ],
])("When an object that this run lacks has the $0, stale should be $2", ([, object, isStale]) => {
  expect(compareWithHub([], [object]).map(({ change }) => change)).toEqual(isStale ? ["stale"] : []);
});

const { signatures, cs } = run;
const withData = (field: string, data: unknown): KubernetesObject => ({
  ...signatures,
  binaryData: undefined,
  [field]: data,
});

test.for<readonly [what: string, stored: KubernetesObject, made: KubernetesObject, change: string]>([
  ["is the same", cs, cs, "unchanged"],
  [
    "was made at another time by another version",
    { ...cs, metadata: { ...cs.metadata, annotations: { createdBy: "oc-mirror v2" } } },
    cs,
    "unchanged",
  ],
  ["has defaults of the API server", { ...cs, spec: { ...Object(cs.spec), priority: 0 } }, cs, "unchanged"],
  [
    "has another value deep inside",
    { ...cs, spec: { a: { b: 2 } } },
    { ...cs, spec: { a: { b: 1 } } },
    "changed",
  ],
  ["lacks a field", { ...cs, spec: {} }, { ...cs, spec: { a: 1 } }, "changed"],
  [
    "has another label",
    { ...cs, metadata: { ...cs.metadata, labels: { a: "1" } } },
    { ...cs, metadata: { ...cs.metadata, labels: { a: "2" } } },
    "changed",
  ],
  ["has a label more", { ...cs, metadata: { ...cs.metadata, labels: { a: "1" } } }, cs, "unchanged"],
  [
    "has another annotation",
    { ...cs, metadata: { ...cs.metadata, annotations: { createdBy: "someone" } } },
    cs,
    "changed",
  ],
  [
    "has a signature more",
    withData("binaryData", { a: "1", b: "2" }),
    withData("binaryData", { a: "1" }),
    "changed",
  ],
  ["has other text", withData("data", { a: "1" }), withData("data", { a: "2" }), "changed"],
])("When the hub's object $0, it should be $3", ([, stored, made, change]) => {
  expect(compareWithHub([made], [stored]).map((found) => found.change)).toEqual([change]);
});

test("When the hub lacks an object, it should be new", () => {
  expect(compareWithHub([cs], [signatures]).map(({ object, change }) => [object.kind, change])).toEqual([
    ["CatalogSource", "new"],
    ["ConfigMap", "stale"],
  ]);
});
