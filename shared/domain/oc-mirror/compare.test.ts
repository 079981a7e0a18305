import fc from "fast-check";
import { expect, test } from "vitest";
import { aRun, objectsOf } from "../../../test/support/oc-mirror/cluster-resources.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
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

test.for<{ what: string; object: KubernetesObject; isStale: boolean }>([
  { what: "annotation of oc-mirror", object: run.cs, isStale: true },
  {
    what: "name of oc-mirror only",
    object: { ...run.itms, metadata: { name: "itms-generic-0" } },
    isStale: true,
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
