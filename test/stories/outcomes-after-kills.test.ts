import { describe, expect, test } from "vitest";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { isKind, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { controlPlaneOf, guestClusterVersion } from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { deliverySystem } from "../support/messages/delivery-system.ts";
import { schemaProblems } from "../support/messages/outcome-schema.ts";
import { base } from "../support/precache/precache-plan-hub.ts";
import { anUpgrade } from "../support/precache/precache-plan-objects.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";
import { countRun } from "../support/setup/soak.ts";

/** What a run with a kill has published, and whether there was one. */
type Run = Readonly<{ outcomes: readonly OutcomeEvent[]; isKilled: boolean }>;

/** Returns the content of an outcome, without its id. */
const contentOf = ({ type, subject, data }: OutcomeEvent) =>
  `${type} ${subject} ${JSON.stringify(data.spec ?? "")}`;

/** Kills after each number of requests until none is left: everything must be published, under one id and of one time. */
async function expectAll(run: (requests: number) => Promise<Run>, atLeast: number): Promise<void> {
  const clean = await run(Number.POSITIVE_INFINITY);
  const wanted = new Set(clean.outcomes.map(contentOf));
  expect(wanted.size).toBeGreaterThan(0);
  let kills = 0;
  for (let requests = 0; ; requests++) {
    countRun("a crash at one write or request");
    const { outcomes, isKilled } = await run(requests);
    expect(schemaProblems(outcomes)).toEqual([]);
    expect(new Set(outcomes.map(contentOf)), `killed after ${requests}`).toEqual(wanted);
    const named = outcomes.map(({ id, time }) => `${id} of ${time}`);
    expect(new Set(named).size, `killed after ${requests}`).toBe(wanted.size);
    if (!isKilled) break;
    kills++;
  }
  expect(kills).toBeGreaterThanOrEqual(atLeast);
}

describe("a process killed after any of its requests", () => {
  test("When it follows clusters that end, each end and the end of all should be reported", async () => {
    await expectAll(async (requests) => {
      const system = precacheSystem();
      system.plan(aPlannedUpgrade(["sno1", "sno2"]));
      await system.settle();
      system.report(ended("succeeds"), ["sno1"]);
      system.report(ended("fails"), ["sno2"]);
      const before = system.entries.length;
      await system.step(precacheStatus, { batchSize: 100 }, requests);
      const isKilled = !system.entries.slice(before).some(({ event }) => event === "published");
      system.pass(40);
      await system.settle();
      return { outcomes: system.outcomes, isKilled };
    }, 5);
  });

  test("When it plans an upgrade, the plan should be reported", async () => {
    await expectAll(async (requests) => {
      const system = deliverySystem(precachePlan);
      for (const object of base) system.hub.put(object);
      system.notify(referenceTo(system.hub.put(anUpgrade())), "add");
      const { isKilled } = await system.aProcess().step(requests);
      system.pass(31);
      await system.aProcess().step();
      return { outcomes: system.published, isKilled };
    }, 8);
  });

  test("When a plan is replaced by another before its message is delivered again, each written plan should be reported, and no other", async () => {
    for (let requests = 0; ; requests++) {
      countRun("a crash at one write or request");
      const system = deliverySystem(precachePlan);
      for (const object of base) system.hub.put(object);
      const select = (...clusters: readonly string[]) => {
        const upgrade = anUpgrade({ clusters });
        const { metadata, status } = system.hub.find(kinds.ClusterGroupUpgrade, "upgrade", "ztp") ?? upgrade;
        system.notify(referenceTo(system.hub.put({ ...upgrade, metadata, status: status ?? {} })), "add");
      };
      select("sno1");
      await system.aProcess().step();
      select("sno1", "sno2");
      const { isKilled } = await system.aProcess().step(requests);
      select("sno2");
      await system.aProcess().step();
      system.pass(31);
      await system.aProcess().step();

      const written = new Set(
        system.changes
          .filter(({ object }) => isKind(kinds.ClusterGroupUpgrade, object))
          .flatMap(({ object }) => Object(object.status).precaching?.clusters.join() ?? []),
      );
      const reported = system.published.map(({ id, data }) => {
        const clusters = data.clusters as readonly Readonly<{ name: string; action: string }>[];
        const names = clusters.flatMap(({ name, action }) => (action === "precache" ? [name] : []));
        return { id, clusters: names.join() };
      });
      expect(new Set(reported.map(({ clusters }) => clusters))).toEqual(written);
      expect(new Set(reported.map(({ id }) => id)).size, `killed after ${requests}`).toBe(written.size);
      if (isKilled) continue;
      expect(requests).toBeGreaterThan(8);
      break;
    }
  });

  test("When it writes what a hosted cluster hands over, that should be reported", async () => {
    const hostedCluster = aHostedCluster({
      metadata: { annotations: { "hubrelay.dev/olm-catalogs": "from-mirrors" } },
    });
    await expectAll(async (requests) => {
      const guest = memoryHub({ id: "urn:test:guest", now: () => new Date("2026-03-01T02:00:00Z") });
      guest.put(guestClusterVersion());
      const guests = { open: async () => guest, opened: () => guest };
      const registry = { ...noExternalPorts.registry, digest: async () => `sha256:${"a".repeat(64)}` };
      const system = deliverySystem(hostedClusters, { ...noExternalPorts, guests, registry });
      const objects: readonly KubernetesObject[] = [
        ...controlPlaneOf(hostedCluster),
        aDigestMirrorSet("olm", [{ source: "registry.redhat.io/redhat", mirrors: ["m.example.com/olm"] }]),
      ];
      for (const object of objects) system.hub.put(object);
      system.notify(referenceTo(system.hub.put(hostedCluster)), "add");
      const { isKilled } = await system.aProcess().step(requests);
      system.pass(31);
      await system.aProcess().step();
      return { outcomes: system.published, isKilled };
    }, 10);
  });
});
