import { describe, expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { type QueueDepth, QueueError } from "#shared/ports/queue.ts";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { hostedClustersWatches } from "../hosted-clusters/watches.ts";
import { maintenanceWindowWatches } from "../maintenance-window/watches.ts";
import { mirrorConfigWatches } from "../mirror-config/watches.ts";
import { allWatches } from "../watches.ts";
import { resync } from "./resync.ts";

const quiet: QueueDepth = { visible: 0, inFlight: 0, delayed: 0 };

/** A hub with hosted clusters, and queues whose depth a test sets. */
function aHub(clusters: number) {
  const hub = memoryHub({ id: "urn:test:hub", now: () => new Date("2026-03-01T02:00:00Z") });
  for (let index = 0; index < clusters; index++) hub.put(aHostedCluster({ name: `cluster-${index}` }));
  const sent: Record<string, string[]> = {};
  const queue = (name: string, depth: () => Promise<QueueDepth>) => ({
    ...sendingQueue(name, async (messages) => {
      const names = messages.map(({ body }) => String(JSON.parse(body).data.name));
      sent[name] = [...(sent[name] ?? []), ...names];
    }),
    depth,
  });
  return { hub, sent, queue };
}

describe("a tick for 2,000 hosted clusters", () => {
  test.for([
    { what: "nothing waits", depth: quiet, isSent: true },
    { what: "a tenth of them waits", depth: { ...quiet, visible: 200 }, isSent: true },
    { what: "more than a tenth waits", depth: { ...quiet, visible: 201 }, isSent: false },
    { what: "many are in flight or delayed", depth: { ...quiet, inFlight: 900, delayed: 900 }, isSent: true },
  ])("When $what, it should send references: $isSent", async ({ depth, isSent }) => {
    const { hub, sent, queue } = aHub(2_000);
    const result = await resync(hub, [hostedClustersWatches], (name) => queue(name, async () => depth));
    expect(sent["hosted-clusters"]?.length ?? 0).toBe(isSent ? 2_000 : 0);
    expect(result).toEqual(
      isSent
        ? { messages: 2_000, unchanged: 0, postponed: [] }
        : { messages: 0, unchanged: 0, postponed: ["hosted-clusters"] },
    );
  });
});

test("When two queues accept nothing, the error should name both", async () => {
  const { hub } = aHub(1);
  hub.put(aWindow("night"));
  const resynced = resync(hub, [hostedClustersWatches, maintenanceWindowWatches], (name) =>
    sendingQueue(name, async () => {
      throw new QueueError("SendFailed", `${name}: it is down`);
    }),
  );
  await expect(resynced).rejects.toThrow(
    "QueueError: hosted-clusters: it is down; QueueError: maintenance-windows: it is down",
  );
});

test("When few objects are reconciled, some dozens of waiting messages should postpone nothing", async () => {
  const { hub, sent, queue } = aHub(2);
  await resync(hub, [hostedClustersWatches], (name) => queue(name, async () => ({ ...quiet, visible: 100 })));
  expect(sent["hosted-clusters"]).toEqual(["cluster-0", "cluster-1"]);
});

test("When the depth of a queue may not be read, its references should be sent", async () => {
  const { hub, sent, queue } = aHub(1);
  const refuse = async () => {
    throw new QueueError("QueueUnavailable", "access denied");
  };
  expect(await resync(hub, [hostedClustersWatches], (name) => queue(name, refuse))).toEqual({
    messages: 1,
    unchanged: 0,
    postponed: [],
  });
  expect(sent["hosted-clusters"]).toEqual(["cluster-0"]);
});

test("When one queue is behind, the others should get their references", async () => {
  const { hub, sent, queue } = aHub(1);
  hub.put({
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name: "release" },
  });
  const depths = new Map([["hosted-clusters", { ...quiet, visible: 5_000 }]]);
  const result = await resync(hub, [hostedClustersWatches, mirrorConfigWatches], (name) =>
    queue(name, async () => depths.get(name) ?? quiet),
  );
  expect(result).toEqual({ messages: 1, unchanged: 0, postponed: ["hosted-clusters"] });
  expect(sent).toEqual({ "mirror-configs": ["release"] });
});

test("When it reads only who is there, a tick should not have the hub send whole objects", async () => {
  const { hub, queue } = aHub(1);
  const whole = new Set<string>();
  const list: HubReader["list"] = (kind, options) => {
    if (!options?.metadataOnly) whole.add(kind.kind);
    return hub.list(kind, options);
  };
  await resync({ ...hub, list }, allWatches, (name) => queue(name, async () => quiet));
  // The status of a work says whether its run has ended.
  expect([...whole]).toEqual(["ManifestWork"]);
});

test("When it finds out what has changed, a tick should list hosted clusters and control planes once", async () => {
  const { hub, sent, queue } = aHub(2);
  const lists: string[] = [];
  const list: HubReader["list"] = (kind, options) => {
    lists.push(kind.kind);
    return hub.list(kind, options);
  };
  const now = new Date("2026-03-01T02:00:00Z");
  await resync({ ...hub, list }, [hostedClustersWatches], (name) => queue(name, async () => quiet), now);
  expect(sent["hosted-clusters"]).toEqual(["cluster-0", "cluster-1"]);
  const ofClusters = lists.filter((kind) => kind.startsWith("Hosted"));
  expect(ofClusters.sort()).toEqual(["HostedCluster", "HostedControlPlane"]);
});

test("When a queue accepts nothing, the other functions should get their references, and the tick fail", async () => {
  const { hub, sent, queue } = aHub(1);
  hub.put(aWindow("night"));
  const down = sendingQueue("hosted-clusters", async () => {
    throw new QueueError("SendFailed", "hosted-clusters: it is down");
  });
  const resynced = resync(hub, [hostedClustersWatches, maintenanceWindowWatches], (name) =>
    name === down.name ? down : queue(name, async () => quiet),
  );
  await expect(resynced).rejects.toThrow("it is down");
  expect(sent).toEqual({ "maintenance-windows": ["night"] });
});

test("When a function handles less than a tick sends, its queue should stay bounded and no object be left out", async () => {
  const { hub, queue } = aHub(600);
  const waiting: string[] = [];
  const handled = new Set<string>();
  let longest = 0;
  for (let tick = 0; tick < 12; tick++) {
    await resync(hub, [hostedClustersWatches], (name) => ({
      ...queue(name, async () => ({ ...quiet, visible: waiting.length })),
      send: async (messages) => {
        waiting.push(...messages.map(({ body }) => JSON.parse(body).data.name));
      },
    }));
    longest = Math.max(longest, waiting.length);
    for (const name of waiting.splice(0, 250)) handled.add(name);
  }
  expect(longest).toBeLessThanOrEqual(700);
  expect(handled.size).toBe(600);
});
