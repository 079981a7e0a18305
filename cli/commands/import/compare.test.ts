import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aRun, objectsOf } from "../../../test/support/oc-mirror/cluster-resources.ts";
import { afterImport, compareWithHub } from "./compare.ts";
import { waveOf } from "./sync-waves.ts";

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

test.for<{ what: string; object: KubernetesObject; isStale: boolean }>([
  { what: "annotation of oc-mirror", object: run.cs, isStale: true },
  {
    what: "name of oc-mirror only",
    object: { ...run.itms, metadata: { name: "itms-generic-0" } },
    isStale: true,
  },
  {
    what: "name of oc-mirror after something else",
    object: { ...run.itms, metadata: { name: "own-itms-generic-0" } },
    isStale: false,
  },
  {
    what: "annotation of another program",
    object: { ...run.cs, metadata: { ...run.cs.metadata, annotations: { createdBy: "someone" } } },
    isStale: false,
  },
  {
    what: "annotation of oc-mirror and a kind that it does not write",
    object: { ...run.cs, kind: "Subscription" },
    isStale: false,
  },
  {
    what: "label of its first version and another kind",
    object: {
      ...run.cs,
      metadata: { name: "own", labels: { "operators.openshift.org/catalog": "true" } },
    },
    isStale: false,
  },
  {
    what: "kind of its first version without the label",
    object: {
      apiVersion: "operator.openshift.io/v1alpha1",
      kind: "ImageContentSourcePolicy",
      metadata: { name: "operator-0" },
    },
    isStale: false,
  },
  { what: "name of a person's", object: { ...run.itms, metadata: { name: "own" } }, isStale: false },
  {
    what: "label of oc-mirror's first version",
    object: {
      apiVersion: "operator.openshift.io/v1alpha1",
      kind: "ImageContentSourcePolicy",
      metadata: { name: "operator-0", labels: { "operators.openshift.org/catalog": "true" } },
    },
    isStale: true,
  },
])("When an object that this run lacks has the $what, stale should be $isStale", ({ object, isStale }) => {
  expect(compareWithHub([], [object]).map(({ change }) => change)).toEqual(isStale ? ["stale"] : []);
});

const { signatures, cs } = run;
const withData = (field: string, data: unknown): KubernetesObject => ({
  ...signatures,
  binaryData: undefined,
  [field]: data,
});

test.for<{ what: string; stored: KubernetesObject; made: KubernetesObject; change: string }>([
  { what: "is the same", stored: cs, made: cs, change: "unchanged" },
  {
    what: "was made at another time by another version",
    stored: { ...cs, metadata: { ...cs.metadata, annotations: { createdBy: "oc-mirror v2" } } },
    made: cs,
    change: "unchanged",
  },
  {
    what: "has defaults of the API server",
    stored: { ...cs, spec: { ...cs.spec, priority: 0 } },
    made: cs,
    change: "unchanged",
  },
  {
    what: "has another value deep inside",
    stored: { ...cs, spec: { a: { b: 2 } } },
    made: { ...cs, spec: { a: { b: 1 } } },
    change: "changed",
  },
  {
    what: "lacks a field",
    stored: { ...cs, spec: {} },
    made: { ...cs, spec: { a: 1 } },
    change: "changed",
  },
  {
    what: "has another label",
    stored: { ...cs, metadata: { ...cs.metadata, labels: { a: "1" } } },
    made: { ...cs, metadata: { ...cs.metadata, labels: { a: "2" } } },
    change: "changed",
  },
  {
    what: "has a label more",
    stored: { ...cs, metadata: { ...cs.metadata, labels: { a: "1" } } },
    made: cs,
    change: "unchanged",
  },
  {
    what: "has another annotation",
    stored: { ...cs, metadata: { ...cs.metadata, annotations: { createdBy: "someone" } } },
    made: cs,
    change: "changed",
  },
  {
    what: "has a signature more",
    stored: withData("binaryData", { a: "1", b: "2" }),
    made: withData("binaryData", { a: "1" }),
    change: "changed",
  },
  {
    what: "has other text",
    stored: withData("data", { a: "1" }),
    made: withData("data", { a: "2" }),
    change: "changed",
  },
])("When the hub's object $what, it should be $change", ({ stored, made, change }) => {
  expect(compareWithHub([made], [stored]).map((found) => found.change)).toEqual([change]);
});

test("When the hub lacks an object, it should be new", () => {
  expect(compareWithHub([cs], [signatures]).map(({ object, change }) => [object.kind, change])).toEqual([
    ["CatalogSource", "new"],
    ["ConfigMap", "stale"],
  ]);
});

test("When a run is applied, its objects should replace those of the same names", () => {
  const other = changed(cs);
  expect(afterImport([other], [cs, signatures])).toEqual([signatures, other]);
});
