import { expect, test } from "vitest";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { findTraces } from "#shared/domain/hosted-clusters/disabled-capabilities/find-traces.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import {
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  secret,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aDisposedWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { observeTraces } from "./snapshot/observe-traces.ts";

type Fields = Readonly<Record<string, unknown>>;
const namespace = "clusters-shop";
const noRegistry = { disabled: ["ImageRegistry"] };

const withNames = (...names: readonly string[]): KubernetesObject => ({
  ...guestClusterVersion("Build", "Console"),
  spec: { capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: names } },
});

/** A hub where HyperShift writes for one hosted cluster. */
async function aShop(
  setting: Readonly<{
    capabilities?: Fields;
    spec?: Fields;
    status?: unknown;
    onHub?: readonly KubernetesObject[];
    inGuest?: readonly KubernetesObject[];
  }>,
): Promise<World> {
  const { capabilities = {}, spec = {}, status, onHub = [], inGuest = [] } = setting;
  const hostedCluster = aHostedCluster({
    metadata: { finalizers: [hypershiftFinalizer] },
    spec: { capabilities, platform: { type: "None" }, ...spec },
  });
  return aDisposedWorld(
    [
      { ...hostedCluster, ...(status ? { status } : {}) },
      ...controlPlaneOf(hostedCluster, { overrides: "=" }),
      ...onHub,
    ],
    [withNames("Build", "Console"), ...inGuest],
  );
}

const messagesOf = async ({ hub }: World, reason: string) =>
  (await hub.list(kinds.Event))
    .filter((event) => event.reason === reason)
    .map(({ message }) => String(message));

test("When a Secret of a disabled registry is left, it should report it without its content", async () => {
  const key = Buffer.from("the key").toString("base64");
  const left = secret(namespace, "cluster-image-registry-operator", { "tls.key": "the key" });
  const world = await aShop({
    capabilities: noRegistry,
    onHub: [left],
  });
  await world.settle("clusters/shop");
  expect(await messagesOf(world, "CapabilityLeftover")).toEqual([
    expect.stringContaining("Secret/clusters-shop/cluster-image-registry-operator is in the control plane"),
  ]);
  const stored = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
  const { cluster } = readHostedCluster(stored ?? aHostedCluster());
  const traces = await observeTraces(world.hub, { cluster, guest: world.guest });
  expect(traces.controlPlane.some(({ kind }) => kind === "Secret")).toBe(true);
  expect(JSON.stringify(traces)).not.toContain(key);
});

test("When nothing is disabled, it should read nothing on the hub and in the guest", async () => {
  const world = await aShop({});
  const stored = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
  const unread: HubReader = {
    ...world.hub,
    get: () => expect.fail("read"),
    list: () => expect.fail("listed"),
  };
  const { cluster } = readHostedCluster(stored ?? aHostedCluster());
  expect(findTraces(await observeTraces(unread, { cluster, guest: unread }))).toEqual([]);
});
