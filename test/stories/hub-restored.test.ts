import fc from "fast-check";
import { expect, test } from "vitest";
import { type Kind, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { pulling } from "../support/precache/precache-windows.ts";

const kept: readonly Kind[] = [kinds.ClusterGroupUpgrade, kinds.PreCachingReport, kinds.ManifestWork];
const backup = ({ hub }: PrecacheSystem) => kept.flatMap((kind) => hub.all(kind));

/** Makes the hub what it was: what came later is gone, and what has changed or gone is as it was. */
async function restore(system: PrecacheSystem, objects: readonly KubernetesObject[]): Promise<void> {
  const { hub, queues } = system;
  // Deletions are not seen: no process runs while etcd is restored, and queues in memory end with theirs.
  system.forward(false);
  for (const object of backup(system)) await hub.delete(referenceTo(object));
  for (const { metadata, ...object } of objects) {
    const { resourceVersion: _, ...before } = metadata;
    hub.put({ ...object, metadata: before });
  }
  for (const queue of queues.values()) queue.length = 0;
  system.forward(true);
  system.resync();
}

const workOf = (system: PrecacheSystem, cluster: string) => system.works(cluster)[0];

/** One step of a function: which one, with how many of its messages, and whether those come in reverse. */
type Step = Readonly<{ served: number; batchSize: number; isReversed: boolean }>;

/**
 * Restores a hub in the middle of a rollout. The agents of some clusters report before hubrelay starts, whose functions
 * begin with these steps, the others after it. Returns the states of the clusters at the end.
 */
async function restored({ early, steps }: Readonly<{ early: readonly string[]; steps: readonly Step[] }>) {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2", "sno3", "sno4"], { maxConcurrency: 2 }));
  await system.settle();
  system.report(pulling);
  await system.settle();
  const objects = backup(system);

  const agents = (isBack: (cluster: string) => boolean) => {
    system.report(ended("succeeds"), ["sno1"].filter(isBack));
    system.report(ended("fails"), ["sno2"].filter(isBack));
  };
  agents(() => true);
  await system.settle();
  system.report(ended("succeeds"), ["sno3"]);
  system.report(pulling, ["sno4"]);
  await system.settle();
  const running = workOf(system, "sno4");
  const started = structuredClone(system.jobs);
  system.pass(24 * 60 * 60);

  await restore(system, objects);
  agents((cluster) => early.includes(cluster));
  for (const { served, batchSize, isReversed } of steps) {
    const controller = system.served[served % system.served.length];
    const disturb = (queue: unknown[]) => void (isReversed && queue.reverse());
    if (controller) await system.step(controller, { batchSize, disturb });
  }
  await system.settle();
  agents(() => true);
  await system.settle();
  // The cluster has this Job: an agent that finds the same work again changes nothing of it.
  const again = workOf(system, "sno4");
  expect(again?.metadata.name).toBe(running?.metadata.name);
  expect(again?.spec).toEqual(running?.spec);
  system.report(ended("succeeds"), ["sno3", "sno4"]);
  await system.settle();
  for (const [cluster, names] of system.jobs)
    expect(new Set(names), cluster).toEqual(new Set(started.get(cluster)));
  expect(system.deadLetters).toEqual([]);
  return system.states();
}

const inTime = { sno1: "Succeeded", sno2: "UnrecoverableError", sno3: "Succeeded", sno4: "Succeeded" };

test("When functions meet the restored state in any order, the states should depend only on which agents were first", async () => {
  const steps = fc.array(
    fc.record({ served: fc.nat(20), batchSize: fc.integer({ min: 1, max: 4 }), isReversed: fc.boolean() }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(fc.subarray(["sno1", "sno2"]), steps, async (early, order) => {
      const timeout = (cluster: string) => (early.includes(cluster) ? {} : { [cluster]: "PrecacheTimeout" });
      const wanted = { ...inTime, ...timeout("sno1"), ...timeout("sno2") };
      expect(await restored({ early, steps: order })).toEqual(wanted);
    }),
    { numRuns: 30 },
  );
});
