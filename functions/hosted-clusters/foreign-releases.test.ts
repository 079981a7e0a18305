import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aHostedCluster, type HostedClusterFields } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import {
  aWorld,
  controlPlaneOf,
  guestClusterVersion,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aPublisher,
  digest,
  mirrorSets,
  rule,
  tagged,
} from "../../test/support/messages/foreign-publisher.ts";

const key = "clusters/shop";

let publisher = aPublisher();
let world: World | undefined;
beforeEach(() => {
  publisher = aPublisher();
});
afterEach(() => world?.close());

async function aShop(
  more: HostedClusterFields = {},
  {
    release = tagged,
    objects = [] as readonly KubernetesObject[],
    overrides = undefined as string | undefined,
  } = {},
): Promise<World> {
  const configuration = { operatorhub: { disableAllDefaultSources: true } };
  const hostedCluster = aHostedCluster({
    ...more,
    spec: { release: { image: release }, configuration, ...more.spec },
  });
  world = await aWorld(
    [
      hostedCluster,
      ...controlPlaneOf(hostedCluster, overrides === undefined ? {} : { overrides }),
      ...mirrorSets(),
      ...objects,
    ],
    [guestClusterVersion()],
    publisher.registry,
  );
  return world;
}

async function environment({ hub }: World): Promise<unknown> {
  const operator = await hub.get(kinds.Deployment, "control-plane-operator", "clusters-shop");
  return Object(operator?.spec).template.spec.containers[0].env[1]?.value;
}
async function change({ hub }: World, name: string, rules: readonly unknown[]): Promise<void> {
  const present = await hub.get(kinds.ImageDigestMirrorSet, name);
  if (!present) throw new Error("the mirror set of this test is gone");
  await hub.update({ ...present, spec: { imageDigestMirrors: rules } });
}
const affected = "reg.lan/own/art=m1.lan/reg.lan-own/art";
const every = `docker.io/library=m1.lan/docker.io-library,${affected}`;

describe("a hosted cluster that runs releases of another publisher", () => {
  test("When the registry fails later, it should keep the known repositories, and write nothing", async () => {
    const shop = await aShop();
    await shop.settle(key);
    publisher.state.isDown = true;
    expect((await shop.deliver(key)).actions).toEqual([]);
    expect(await environment(shop)).toBe(affected);
  });

  test("When mirrors change, only those of its own images should trigger a reconcile, without a registry request", async () => {
    const shop = await aShop();
    await shop.settle(key);
    const asked = publisher.asked.length;
    await change(shop, "other", [rule("docker.io/library", "m2.lan")]);
    expect(await shop.affected()).toEqual([]);
    await change(shop, "art", [rule("reg.lan/own/art", "m2.lan")]);
    expect(await shop.affected()).toEqual([key]);
    expect(publisher.asked).toHaveLength(asked);
  });

  test("When the registry fails from the beginning, it should get every source until the registry responds", async () => {
    publisher.state.isDown = true;
    const shop = await aShop();
    const { decisions } = await shop.settle(key);
    expect(await environment(shop)).toBe(every);
    expect(decisions).toContainEqual({
      subject: `${key} Release images`,
      verdict: "unknown",
      reason: expect.stringContaining("503"),
    });
    publisher.state.isDown = false;
    await shop.settle(key);
    expect(await environment(shop)).toBe(affected);
  });

  test("When a digest names the release, it should be read once", async () => {
    const shop = await aShop({}, { release: `reg.lan/own/release@${digest}` });
    await shop.settle(key);
    const asked = publisher.asked.length;
    await shop.settle(key);
    expect(publisher.asked).toHaveLength(asked);
    expect(await environment(shop)).toBe(affected);
  });

  test("When the hub trusts registries, the cluster's own credentials and both kinds of trust should be used", async () => {
    const image: KubernetesObject = {
      apiVersion: kinds.Image.apiVersion,
      kind: kinds.Image.kind,
      metadata: { name: "cluster" },
      spec: {
        registrySources: { insecureRegistries: ["reg.lan"] },
        additionalTrustedCA: { name: "registries" },
      },
    };
    const configMap = (name: string, namespace: string, data: object): KubernetesObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace },
      data,
    });
    const shop = await aShop(
      {},
      {
        objects: [
          image,
          configMap("registries", "openshift-config", { "m1.lan..5000": "of the mirror" }),
          configMap("user-ca-bundle", "clusters-shop", { "ca-bundle.crt": "of the cluster" }),
        ],
      },
    );
    await shop.settle(key);
    expect(publisher.accesses[0]).toEqual({
      pullSecret: "{}",
      authorities: "of the cluster",
      authoritiesOf: { "m1.lan:5000": "of the mirror" },
      insecureHosts: ["reg.lan"],
    });
  });
});
