import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { checkRunOf } from "#shared/domain/precache-model/work-identity.ts";
import { checked, ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, until } from "../support/precache/precache-windows.ts";

const beforeDay = { "hubrelay.dev/check-before": "24h" };
/** The window of the rollout; pre-caching is not restricted. */
const inRollout = { ...beforeDay, "hubrelay.dev/enable-after-precaching": "window=rollout" };
const rollout = () => aWindow("rollout", { schedule: "0 1 5 3 *", clusterSelector: undefined });

/** A fleet that has been pre-cached on 1 March at two o'clock, with a rollout on 5 March at one o'clock. */
async function aCachedFleet(
  clusters: readonly string[] = ["sno1", "sno2"],
  annotations: Readonly<Record<string, string>> = inRollout,
  window = rollout(),
): Promise<PrecacheSystem> {
  const system = precacheSystem();
  system.hub.put(window);
  system.plan(aPlannedUpgrade(clusters, { annotations }));
  await system.settle();
  system.report(ended("succeeds"));
  await system.settle();
  return system;
}
const checkWorks = (system: PrecacheSystem) => system.works().filter((work) => checkRunOf(work));
test("However messages are delivered and processes end, no success should be lost without a missing image", async () => {
  const names = ["sno1", "sno2", "sno3"] as const;
  const step = fc.record({
    missing: fc.array(fc.nat(2), { minLength: 3, maxLength: 3 }),
    killedAfter: fc.option(fc.nat(12), { nil: undefined }),
    repeats: fc.boolean(),
    minutes: fc.nat(30),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const system = await aCachedFleet(names);
      const lost = new Set<string>();
      const expectNoneLost = () => {
        for (const [cluster, state] of names.map((name) => [name, system.states()[name]] as const))
          if (!lost.has(cluster)) expect([cluster, state]).toEqual([cluster, "Succeeded"]);
      };
      await until(system, "2026-03-04T01:00:00Z");
      for (const { missing, killedAfter, repeats, minutes } of steps) {
        for (const [index, name] of names.entries()) {
          const count = missing[index] ?? 0;
          if (count > 0 && checkWorks(system).some(({ metadata }) => metadata.namespace === name))
            lost.add(name);
          system.reportCheck(checked(count), [name]);
        }
        if (repeats) system.resync();
        const disturb = (messages: { reverse(): unknown }) => void messages.reverse();
        for (const controller of system.served)
          await system.step(controller, { batchSize: 2, disturb }, killedAfter);
        expectNoneLost();
        system.pass(minutes * 60);
        system.tick();
        await system.settle({ batchSize: 2, disturb });
        expectNoneLost();
      }
      expect(system.hub.all(kinds.ManifestWork).length).toBeLessThanOrEqual(names.length);
    }),
    { numRuns: 30 },
  );
});
