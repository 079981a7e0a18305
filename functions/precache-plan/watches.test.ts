import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hint } from "#shared/runtime/controller.ts";
import { now, planningHub, sentSubjectsOf } from "../../test/support/precache/precache-plan-hub.ts";
import { aManagedCluster, anUpgrade, aPolicy } from "../../test/support/precache/precache-plan-objects.ts";
import { precachePlan } from "./controller.ts";

const world = planningHub();
const { given } = world;

describe("what leads to a ClusterGroupUpgrade", () => {
  const { mapToKey } = precachePlan;

  test("When a PreCachingConfig changes, every ClusterGroupUpgrade that names it should be planned again", async () => {
    const ref = { preCachingConfigRef: { name: "config", namespace: "ztp" } };
    await given(
      anUpgrade(ref),
      anUpgrade(ref, { name: "far", namespace: "edge" }),
      anUpgrade({}, { name: "other" }),
      anUpgrade({ preCachingConfigRef: { name: "config" } }, { name: "own", namespace: "edge" }),
    );
    const { apiVersion, kind } = kinds.PreCachingConfig;
    const key = mapToKey({ apiVersion, kind, namespace: "ztp", name: "config" }) ?? "";
    const plan = await precachePlan.plan(world.hub, key, now);
    expect(plan.sends?.[0]?.queue).toBe("precache-plans");
    expect(plan.sends?.[0]?.events.map(({ data }) => `${data.namespace}/${data.name}`)).toEqual([
      "edge/far",
      "ztp/upgrade",
    ]);
    expect(plan.sends?.[0]?.events.map(({ data }) => mapToKey(data))).toEqual(["edge/far", "ztp/upgrade"]);
  });

  test("When policies or clusters change, the upgrades that depend on them should be planned again, once, and no other", async () => {
    await given(
      anUpgrade(),
      anUpgrade({ managedPolicies: ["operators"], clusters: ["sno7"] }, { name: "far", namespace: "edge" }),
      anUpgrade({ managedPolicies: ["other"], clusters: ["sno8"] }, { name: "other" }),
      anUpgrade({ preCaching: false }, { name: "asleep" }),
    );
    const hints = ["platform", "ztp.platform", "operators"].map((name): Hint => {
      const { metadata, ...policy } = aPolicy(name, []);
      return { verb: "update", reference: { ...policy, namespace: metadata.namespace ?? "", name } };
    });
    const cluster = { verb: "delete", reference: { ...aManagedCluster("sno1"), name: "sno1" } } as const;
    const keys = [...hints, cluster].map(({ reference }) => mapToKey(reference));
    expect(new Set(keys).size).toBe(1);
    const plan = await precachePlan.plan(world.hub, keys[0] ?? "", now, noExternalPorts, [...hints, cluster]);
    expect(plan.sends?.map(({ queue }) => queue)).toEqual(["precache-plans"]);
    expect(sentSubjectsOf(plan)).toEqual(["far", "upgrade"]);
    expect(plan.actions).toEqual([]);
  });

  test("When a whole fleet has changed, every upgrade that requests pre-caching should be planned again", async () => {
    await given(anUpgrade({ clusters: ["sno8"] }), anUpgrade({ preCaching: false }, { name: "asleep" }));
    const hint: Hint = {
      verb: "update",
      reference: { ...aManagedCluster("sno1"), name: "sno1" },
      feedback: { many: true },
    };
    const plan = await precachePlan.plan(world.hub, mapToKey(hint.reference) ?? "", now, noExternalPorts, [
      hint,
    ]);
    expect(sentSubjectsOf(plan)).toEqual(["upgrade"]);
  });

  test("When a hint is about a single cluster, planning should ignore it", () => {
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    expect(
      mapToKey({ apiVersion, kind, namespace: "ztp", name: "upgrade", cluster: "sno1" }),
    ).toBeUndefined();
  });
});
