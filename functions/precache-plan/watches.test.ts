import { describe, expect, test } from "vitest";
import {
  type KubernetesObject,
  kinds,
  type ObjectReference,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { everyName } from "#shared/runtime/controller.ts";
import { mappedKeys } from "../../test/support/messages/mapped-keys.ts";
import { planningHub } from "../../test/support/precache/precache-plan-hub.ts";
import {
  aManagedCluster,
  anImageBasedUpgrade,
  anOverridesConfigMap,
  anUpgrade,
  aPolicy,
  copiesOf,
} from "../../test/support/precache/precache-plan-objects.ts";
import { precachePlanWatches } from "./watches.ts";

const world = planningHub();
const { given } = world;

describe("what leads to a ClusterGroupUpgrade", () => {
  const planned = async (reference: ObjectReference) =>
    (await mappedKeys(precachePlanWatches, reference, world.hub)).map(({ name }) => name);

  test("When policies or clusters change, the upgrades that depend on them should be planned again, and no other", async () => {
    await given(
      anUpgrade(),
      anUpgrade({ managedPolicies: ["operators"], clusters: ["sno7"] }, { name: "far", namespace: "edge" }),
      anUpgrade({ managedPolicies: ["other"], clusters: ["sno8"] }, { name: "other" }),
      anUpgrade({ preCaching: false }, { name: "asleep" }),
    );
    expect(await planned(referenceTo(aPolicy("platform", [])))).toEqual(["ztp/upgrade"]);
    expect(await planned(referenceTo(aPolicy("ztp.platform", [], {}, { namespace: "sno1" })))).toEqual([
      "ztp/upgrade",
    ]);
    expect(await planned(referenceTo(aPolicy("ztp.unused", [], {}, { namespace: "sno1" })))).toEqual([]);
    expect(await planned(referenceTo(aPolicy("operators", [])))).toEqual(["edge/far"]);
    expect(await planned(referenceTo(aManagedCluster("sno1")))).toEqual(["ztp/upgrade"]);
  });

  test("When a whole fleet has changed, every upgrade that requests pre-caching should be planned again", async () => {
    await given(anUpgrade({ clusters: ["sno8"] }), anUpgrade({ preCaching: false }, { name: "asleep" }));
    const { apiVersion, kind } = kinds.ManagedCluster;
    expect(await planned({ apiVersion, kind, name: everyName })).toEqual(["ztp/upgrade"]);
  });

  test("When an image-based upgrade changes, every upgrade that requests pre-caching should be planned again", async () => {
    await given(anUpgrade(), anUpgrade({ preCaching: false }, { name: "asleep" }));
    expect(await planned(referenceTo(anImageBasedUpgrade({})))).toEqual(["ztp/upgrade"]);
  });

  test("When a ConfigMap has another name, planning should ignore it without reading the hub", async () => {
    await given(anUpgrade());
    const { apiVersion, kind } = kinds.ConfigMap;
    expect(await planned(referenceTo(anOverridesConfigMap({})))).toEqual(["ztp/upgrade"]);
    expect(
      await mappedKeys(precachePlanWatches, { apiVersion, kind, namespace: "ztp", name: "other" }),
    ).toEqual([]);
  });

  test("When a hint is about a single cluster, planning should ignore it", async () => {
    expect(await planned({ ...referenceTo(anUpgrade()), cluster: "sno1" })).toEqual([]);
  });
});

test("When only the status of a policy's copy changes, it should be the same; when its spec does, it should not", () => {
  const watch = precachePlanWatches.watches.find(({ selector }) => selector?.withLabel);
  const [copy] = copiesOf(aPolicy("platform", []), ["sno1"]);
  if (!watch?.fingerprint || !copy) throw new Error("copies are not watched");
  const of = (metadata: object) =>
    watch.fingerprint?.({ ...copy, metadata: { ...copy.metadata, ...metadata } });
  expect(watch).toMatchObject({ kind: kinds.Policy, metadataOnly: true });
  expect(of({ resourceVersion: "2" })).toBe(of({ resourceVersion: "1" }));
  expect(of({ generation: 2 })).not.toBe(of({ generation: 1 }));
});

describe("what matters about a ClusterGroupUpgrade", () => {
  const [watch] = precachePlanWatches.watches;
  const fingerprintOf = (cgu: KubernetesObject) => watch?.fingerprint?.(cgu);
  const succeeded = (status: string, more: Readonly<Record<string, unknown>> = {}) => ({
    ...anUpgrade(),
    status: { conditions: [{ type: "PrecachingSuceeded", status, reason: "any" }], ...more },
  });

  test("When precache-status writes progress, it should be the same", () => {
    const progress = succeeded("False", { precaching: { status: { sno1: "Active" } } });
    expect(fingerprintOf(progress)).toBe(fingerprintOf(anUpgrade()));
  });

  test.for([
    ["pre-caching has succeeded", succeeded("True")],
    ["its spec changes", anUpgrade({}, { generation: 2 })],
    ["it is being deleted", anUpgrade({}, { deletionTimestamp: "2026-03-01T02:00:00Z" } as object)],
    ["an annotation of planning changes", anUpgrade({}, { annotations: { "hubrelay.dev/bandwidth": "5" } })],
  ] as const)("When %s, it should change", ([, changed]) => {
    expect(fingerprintOf(changed)).not.toBe(fingerprintOf(anUpgrade({}, { generation: 1 })));
    expect(fingerprintOf(changed)).not.toBe(fingerprintOf(anUpgrade()));
  });
});
