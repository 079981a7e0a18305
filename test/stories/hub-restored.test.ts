import { expect, test } from "vitest";
import { type Kind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
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

test.for([
  { first: "the agents", agentsFirst: true, sno1: "Succeeded", sno2: "UnrecoverableError" },
  // What docs/how-to/restore-a-hub.md avoids: the deadlines of a day ago have passed, and nothing has been reported yet.
  { first: "hubrelay", agentsFirst: false, sno1: "PrecacheTimeout", sno2: "PrecacheTimeout" },
])(
  "When etcd goes back a day while clusters went on, and $first are back first, no Job should be started beside another",
  async ({ agentsFirst, sno1, sno2 }) => {
    const system = precacheSystem();
    system.plan(aPlannedUpgrade(["sno1", "sno2", "sno3", "sno4"], { maxConcurrency: 2 }));
    await system.settle();
    system.report(pulling);
    await system.settle();
    const objects = backup(system);

    const agents = () => {
      system.report(ended("succeeds"), ["sno1"]);
      system.report(ended("fails"), ["sno2"]);
    };
    agents();
    await system.settle();
    system.report(ended("succeeds"), ["sno3"]);
    system.report(pulling, ["sno4"]);
    await system.settle();
    const running = workOf(system, "sno4");
    const started = structuredClone(system.jobs);
    system.pass(24 * 60 * 60);

    await restore(system, objects);
    if (agentsFirst) agents();
    await system.settle();
    agents();
    await system.settle();
    // The cluster has this Job: an agent that finds the same work again changes nothing of it.
    const again = workOf(system, "sno4");
    expect(again?.metadata.name).toBe(running?.metadata.name);
    expect(again?.spec).toEqual(running?.spec);
    system.report(ended("succeeds"), ["sno3", "sno4"]);
    await system.settle();
    expect(system.states()).toEqual({ sno1, sno2, sno3: "Succeeded", sno4: "Succeeded" });
    for (const [cluster, names] of system.jobs)
      expect(new Set(names), cluster).toEqual(new Set(started.get(cluster)));
    expect(system.deadLetters).toEqual([]);
  },
);
