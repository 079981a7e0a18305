import { expect, test } from "vitest";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { expectedObjects } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { findTraces } from "#shared/domain/hosted-clusters/disabled-capabilities/find-traces.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
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

const anObject = (kind: Kind, name: string, within?: string, fields: Fields = {}): KubernetesObject => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name, ...(kind.namespaced && within ? { namespace: within } : {}) },
  ...fields,
});

/** All objects of the enabled capabilities. */
const whole = (where: "controlPlane" | "guest", without: readonly string[]) =>
  expectedObjects
    .filter(
      (one) => one.where === where && !one.platforms && !one.isUserData && !without.includes(one.capability),
    )
    .map(({ kind, name, namespace: within }) => anObject(kind, name, where === "guest" ? within : namespace));

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

const reached = (version: string) => ({ version: { history: [{ state: "Completed", version }] } });
const messagesOf = async ({ hub }: World, reason: string) =>
  (await hub.list(kinds.Event))
    .filter((event) => event.reason === reason)
    .map(({ message }) => String(message));

test("When a Secret of a disabled registry is left, it should report it without its content", async () => {
  const key = Buffer.from("the key").toString("base64");
  const left = secret(namespace, "cluster-image-registry-operator", { "tls.key": "the key" });
  const world = await aShop({
    capabilities: noRegistry,
    onHub: [...whole("controlPlane", ["ImageRegistry"]), left],
    inGuest: whole("guest", ["ImageRegistry"]),
  });
  await world.settle("clusters/shop");
  expect(await messagesOf(world, "CapabilityLeftover")).toEqual([
    expect.stringContaining("Secret/clusters-shop/cluster-image-registry-operator is in the control plane"),
  ]);
  const stored = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
  const { cluster } = readHostedCluster(stored ?? aHostedCluster());
  const traces = await observeTraces(world.hub, { cluster, guest: world.guest, isInstalled: true });
  expect(traces.controlPlane.some(({ kind }) => kind === "Secret")).toBe(true);
  expect(JSON.stringify(traces)).not.toContain(key);
});

test.for([
  { name: "is being installed", isInstalled: false, isSeen: true },
  { name: "cannot be seen", isInstalled: true, isSeen: false },
])(
  "When nothing is disabled and the guest $name, it should read nothing on the hub, and report nothing as missing",
  async ({ isInstalled, isSeen }) => {
    const world = await aShop({});
    const stored = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
    const asked: string[] = [];
    const hub: HubReader = {
      ...world.hub,
      get: (kind, name) => {
        asked.push(`${kind.kind}/${name}`);
        return Promise.resolve(undefined);
      },
    };
    const { cluster } = readHostedCluster(stored ?? aHostedCluster());
    const guest = isSeen ? world.guest : undefined;
    const traces = await observeTraces(hub, { cluster, guest, isInstalled });
    expect(asked).toEqual([]);
    expect(findTraces(traces)).toEqual([]);
  },
);

test("When nothing is disabled and something is missing, it should report that once the guest is installed", async () => {
  const isOperator = ({ metadata }: KubernetesObject) => metadata.name === "ingress-operator";
  const world = await aShop({
    onHub: whole("controlPlane", []).filter((object) => !isOperator(object)),
    inGuest: whole("guest", []),
  });
  await world.settle("clusters/shop");
  expect(await messagesOf(world, "CapabilityIncomplete")).toEqual([]);
  const stored = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
  if (!stored) throw new Error("the hosted cluster of this test is gone");
  await world.hub.updateStatus({ ...stored, status: reached("4.20.4") });
  await world.settle("clusters/shop");
  expect(await messagesOf(world, "CapabilityIncomplete")).toEqual([
    expect.stringContaining("Deployment/clusters-shop/ingress-operator is not in the control plane"),
  ]);
});
