import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import {
  aHostedCluster,
  hypershiftFinalizer,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { ownWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";

describe("taking over from HyperShift", () => {
  const takeOver = { finalizers: [hypershiftFinalizer], annotations: { "hubrelay.dev/take-over": "true" } };

  test("When the hosted cluster is paused indefinitely, it should write", async () => {
    const world = await ownWorld(
      aHostedCluster("shop", { metadata: takeOver, spec: { pausedUntil: "true" } }),
    );
    expect((await world.settle("clusters/shop")).decisions).toMatchObject([{ verdict: "unchanged" }]);
    expect(await world.guest.list(kinds.CatalogSource)).toHaveLength(4);
  });

  test("When HyperShift still reconciles it, it should refuse, and write only Events", async () => {
    const world = await ownWorld(aHostedCluster("shop", { metadata: takeOver }));
    const { issues } = await world.deliver("clusters/shop");
    expect(issues).toMatchObject([{ code: "TakeOverRefused" }]);
    expect(await world.hub.list(kinds.ImageStream)).toEqual([]);
    expect(await world.guest.list(kinds.CatalogSource)).toEqual([]);
    expect(world.asked).toEqual([]);
  });
});
