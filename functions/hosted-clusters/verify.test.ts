import { describe, expect, test } from "vitest";
import type { World } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { pair, verifyWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";

const verdicts = ({ decisions }: Awaited<ReturnType<World["deliver"]>>) =>
  Object.fromEntries(
    decisions.map(({ subject, verdict }) => [subject.replace("clusters/shop ", ""), verdict]),
  );

describe("under HyperShift", () => {
  test("When HyperShift has mirrors for others in a different order, it should report nothing", async () => {
    const world = await verifyWorld({ overrides: `docker.io=x.example,${pair}` });
    expect(verdicts(await world.settle("clusters/shop")).Overrides).toBe("in agreement");
  });
});
