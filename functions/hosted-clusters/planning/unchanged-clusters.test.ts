import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { withKeptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import { aHostedFleet, namespaceOf } from "../../../test/support/hosted-clusters/hosted-fleet-system.ts";
import { hostedClustersWatches } from "../watches.ts";
import { type Basis, decidedFrom } from "./basis.ts";

const namespace = namespaceOf(0);
const [first, second] = [`${namespace}/tenant-0`, `${namespace}/tenant-1`];

describe("two hosted clusters that have not changed since they were reconciled", () => {
  /** Returns the first of them with an outcome that was written at this time. */
  const written = (object: KubernetesObject, at: Date) =>
    withKeptOutcomes(object, [
      {
        specversion: "1.0",
        id: "one",
        type: "dev.hubrelay.hosted-clusters.changing",
        source: "urn:test:hub",
        subject: first,
        time: at.toISOString(),
        data: {},
      },
    ]);
  const released = ({ finalizers: _, ...metadata }: KubernetesObject["metadata"]) => ({
    ...metadata,
    annotations: { "hubrelay.dev/take-over": "true" },
  });

  test.for([
    { what: "nothing was written", minutes: undefined, own: false, unchanged: [first, second] },
    { what: "the first was written before that", minutes: 20, own: false, unchanged: [first, second] },
    { what: "the first was written since then", minutes: 5, own: false, unchanged: [second] },
    {
      what: "hubrelay has written nothing for its first",
      minutes: undefined,
      own: true,
      unchanged: [first, second],
    },
  ])(
    "When outcomes are owed for ten minutes and $what, $unchanged should be left out",
    async ({ minutes, own, unchanged }) => {
      const { system } = await aHostedFleet(2);
      const { hub, now } = system;
      const before = (ago: number) => new Date(now().getTime() - ago * 60_000);
      const found = hub.find(kinds.HostedCluster, "tenant-0", namespace);
      if (!found) throw new Error("the fleet has a first cluster");
      if (minutes !== undefined) hub.put(written(found, before(minutes)));
      if (own) {
        const hostedCluster = { ...found, metadata: released(found.metadata) };
        hub.put(hostedCluster);
        // As if it had been reconciled: that needs a registry with its catalogs.
        const basis: Basis = { hostedCluster, mode: "own", controlPlane: [] };
        const decided = decidedFrom(basis, { now: now(), isComplete: true });
        for (const event of hub.all(kinds.Event))
          if (event.reason === "RegistryMirrors" && event.metadata.name.startsWith("tenant-0")) {
            const annotations = { ...event.metadata.annotations, ...decided };
            hub.put({ ...event, metadata: { ...event.metadata, annotations } });
          }
      }
      const find = async (owedSince?: Date) =>
        [
          ...((await hostedClustersWatches.ticks?.find(hub, { now: now(), owedSince }))?.unchanged ?? []),
        ].sort();
      expect(await find(before(10))).toEqual(unchanged);
      expect(await find()).toEqual([first, second]);
    },
  );
});
