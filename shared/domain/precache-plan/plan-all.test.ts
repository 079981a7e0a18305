import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anOverridesConfigMap,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../../../test/support/precache/precache-plan-objects.ts";
import {
  actionsOf,
  clusters,
  operators,
  plan,
  platform,
  ref,
  userImage,
} from "../../../test/support/precache/precache-planning.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { planAll } from "./plan-all.ts";
import { planInputsOf } from "./plan-input.ts";
import { notQueried } from "./policies/update-graph.ts";

describe("two ClusterGroupUpgrades on one cluster", () => {
  const younger = anUpgrade(
    { clusters: ["sno2"] },
    { name: "younger", creationTimestamp: "2026-03-01T03:00:00Z" },
  );
  const all = (...objects: readonly KubernetesObject[]) =>
    planAll(
      planInputsOf([...clusters, platform, ...objects], "4.20").map((input) => ({
        ...input,
        lookup: () => notQueried,
      })),
    ).map((result) => result.plan);

  test("When both are new, the younger should wait and say for whom", () => {
    const [second, first] = all(younger, anUpgrade());
    expect(first && actionsOf(first)).toEqual({ sno1: "precache", sno2: "precache" });
    expect(second?.clusters).toEqual([
      {
        name: "sno2",
        action: "wait",
        reason: "Waits for ClusterGroupUpgrade/ztp/upgrade, which pre-caches this cluster first.",
      },
    ]);
  });

  test.for([
    { what: "is done with the cluster", status: { precaching: { status: { sno2: "Succeeded" } } } },
    { what: "is over", status: { conditions: [{ type: "Succeeded", status: "True" }] } },
    { what: "is rolled out", status: { conditions: [{ type: "Progressing", status: "True" }] } },
  ])("When the older $what, the younger should go", ({ status }) => {
    const [second] = all(younger, { ...anUpgrade(), status });
    expect(second && actionsOf(second)).toEqual({ sno2: "precache" });
  });

  test("When the older is being deleted, the younger should go", () => {
    const { metadata, ...older } = anUpgrade();
    const going = {
      ...older,
      metadata: Object.assign({ deletionTimestamp: "2026-03-01T03:00:00Z" }, metadata),
    };
    expect(all(younger, going).map(actionsOf)[0]).toEqual({ sno2: "precache" });
  });

  test("When the older has nothing to pre-cache on the cluster, the younger should go", () => {
    const done = aPolicy("done", [aWantedRelease()], { sno1: "NonCompliant", sno2: "Compliant" });
    const [second, first] = all(younger, anUpgrade({ managedPolicies: ["done"] }), done);
    expect(first && actionsOf(first)).toMatchObject({ sno1: "precache" });
    expect(first && actionsOf(first).sno2).not.toBe("precache");
    expect(second && actionsOf(second)).toEqual({ sno2: "precache" });
  });
});

test("When objects come in any order, it should be the same plan", () => {
  const objects = [
    anUpgrade({ ...ref, managedPolicies: ["platform", "operators"] }),
    platform,
    operators,
    aPreCachingConfig({ additionalImages: [userImage] }),
    anOverridesConfigMap({ excludePrecachePatterns: "aws" }),
  ];
  const expected = plan({ objects });
  fc.assert(
    fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
      expect(plan({ objects: shuffled })).toEqual(expected);
    }),
  );
});
