import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubChange, HubReader } from "#shared/ports/hub.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { aNodePool, inPlace } from "../../test/support/hosted-clusters/node-pools.ts";
import { aHub, subjects } from "../../test/support/messages/forwarded.ts";
import { heldQueue } from "../../test/support/messages/held-queue.ts";
import { mappedKeys } from "../../test/support/messages/mapped-keys.ts";
import { hostedClustersWatches } from "./watches.ts";

const generation = (nodePool: KubernetesObject, of: number): KubernetesObject => ({
  ...nodePool,
  metadata: {
    ...nodePool.metadata,
    generation: of,
    uid: nodePool.metadata.name,
    resourceVersion: String(of),
  },
});

/** Forwards until this many messages were sent; returns the objects that they name. */
async function namedBy(changes: readonly HubChange[], count: number): Promise<readonly string[]> {
  const { hub } = aHub(changes);
  const sent: string[] = [];
  const stop = new AbortController();
  await forwardChanges({
    hub,
    allWatches: [hostedClustersWatches],
    queue: (name) => ({
      ...heldQueue(name).queue,
      send: async (messages) => {
        sent.push(...messages.map(({ body }) => body));
        if (sent.length === count) stop.abort();
      },
    }),
    signal: stop.signal,
    log: () => undefined,
  });
  return subjects(sent);
}

test("When a NodePool changes, is created or deleted, its hosted cluster should be reconciled", async () => {
  const blue = generation(aNodePool("blue"), 1);
  const changes: readonly HubChange[] = [
    { verb: "add", object: blue },
    { verb: "synced" },
    { verb: "update", object: { ...blue, status: { replicas: 2 } } },
    { verb: "update", object: generation(aNodePool("blue", inPlace), 2) },
    { verb: "add", object: generation(aNodePool("green", { clusterName: "other" }), 1) },
    { verb: "add", object: generation(aNodePool("grey", { clusterName: 5 }), 1) },
    { verb: "delete", object: generation(aNodePool("blue", inPlace), 2) },
  ];
  expect(await namedBy(changes, 3)).toEqual([
    "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/shop",
    "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/other",
    "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/shop",
  ]);
});

test.for([
  { name: "blue", keys: ["clusters/shop"] },
  { name: "gone", keys: [] },
])("When another event source names the NodePool $name, it should map to $keys", async ({ name, keys }) => {
  const { apiVersion, kind } = kinds.NodePool;
  const reference = { apiVersion, kind, namespace: "clusters", name };
  const hub: HubReader = {
    id: "urn:test:hub",
    get: () => expect.fail("nothing permits to read a single NodePool"),
    list: async (_kind, options) => [aNodePool()].filter(({ metadata }) => metadata.name === options?.name),
  };
  expect((await mappedKeys(hostedClustersWatches, reference, hub)).map((key) => key.name)).toEqual(keys);
});
