import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { resync } from "#functions/resync/resync.ts";
import type { MemoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { faultyHub } from "../hub/faulty-hub.ts";
import { aDigestMirrorSet } from "../hub/objects.ts";
import { sendingQueue } from "../messages/sending-queue.ts";
import { type PrecacheSystem, precacheSystem } from "../precache/precache-system.ts";
import {
  aControlPlaneOperator,
  aWorldOf,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  inMemory,
} from "./hosted-cluster-hub.ts";

const perNamespace = 50;
const releases = "quay.io/openshift-release-dev/ocp-release";
const mirror = "m.corp.example/ocp/release";
const capabilities = { baselineCapabilitySet: "None", additionalEnabledCapabilities: ["Build", "Console"] };

/** The namespace of a hosted cluster of the fleet; several share one. */
export const namespaceOf = (index: number): string => `clusters-of-${Math.floor(index / perNamespace)}`;

/** An installed hosted cluster beside HyperShift, with its control plane. */
function aQuietCluster(index: number, disabled: readonly string[]): readonly KubernetesObject[] {
  const name = `tenant-${index}`;
  const namespace = namespaceOf(index);
  const overrides = `${releases}=${mirror}`;
  const metadata = { namespace, finalizers: [hypershiftFinalizer] };
  const history = [{ state: "Completed", version: "4.20.4" }];
  const cluster = {
    ...aHostedCluster({ name, metadata, spec: { capabilities: { disabled } } }),
    status: { version: { history } },
  };
  const readers = ["hosted-cluster-config-operator", "ignition-server"].map((reader) =>
    aControlPlaneOperator(name, overrides, reader),
  );
  const controlPlane = [...controlPlaneOf(cluster, { overrides }), ...readers].map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: `${namespace}-${name}` },
  }));
  return [cluster, ...controlPlane];
}

/** What one tick costs the hub: all its requests, its own and those of the reconciles, and how many of them write. */
export type TickCost = Readonly<{ requests: number; writes: number; reconciled: number }>;

/** A fleet of hosted clusters beside HyperShift, all of which were reconciled. */
export type HostedFleet = Readonly<{
  system: PrecacheSystem;
  /** The guest of the first of them. */
  guest: MemoryHub;
  /** Runs a tick with all its reconciles; with `isWhole` it names every hosted cluster. */
  tick(isWhole?: boolean): Promise<TickCost>;
}>;

/**
 * Returns a fleet of this size, all without the disabled capabilities; no event reaches the function after its first
 * reconcile, only ticks do.
 */
export async function aHostedFleet(clusters: number, disabled: readonly string[] = []): Promise<HostedFleet> {
  const guestVersion = { ...guestClusterVersion("Build", "Console"), spec: { capabilities } };
  const guests = new Map<string, MemoryHub>();
  const guestOf = (key: string): MemoryHub => {
    const guest = guests.get(key) ?? inMemory([], [guestVersion]).guest;
    guests.set(key, guest);
    return guest;
  };
  const external = {
    ...aWorldOf(inMemory([], [])).ports.external,
    guests: { open: async (key: string) => guestOf(key), opened: guestOf },
  };
  const system = precacheSystem(undefined, [hostedClusters], (ports) => ({ ...ports, external }));
  system.forward(false);
  system.hub.put(aDigestMirrorSet("ocp", [{ source: releases, mirrors: [mirror] }]));
  for (let index = 0; index < clusters; index++)
    for (const object of aQuietCluster(index, disabled)) system.hub.put(object);
  const resyncing = faultyHub(system.hub);
  const queue = sendingQueue(hostedClusters.queue, async (messages) => {
    for (const { body } of messages) system.deliver(hostedClusters.queue, body);
  });
  const total = (verbs: RegExp) =>
    [...resyncing.requests, ...system.requests]
      .filter(([request]) => verbs.test(request))
      .reduce((sum, [, count]) => sum + count, 0);

  async function tick(isWhole = false): Promise<TickCost> {
    const [requests, writes] = [total(/./), total(/^(?!get|list)/)];
    const now = isWhole ? [] : [system.now()];
    const { messages } = await resync(resyncing.hub, [hostedClusters], () => queue, ...now);
    while (await system.step(hostedClusters, { batchSize: 10 }));
    return {
      requests: total(/./) - requests,
      writes: total(/^(?!get|list)/) - writes,
      reconciled: messages,
    };
  }
  await tick(true);
  return { system, guest: guestOf(`${namespaceOf(0)}/tenant-0`), tick };
}
