import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { imageReferencesPath } from "#shared/domain/hosted-clusters/release-content.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { nothingBeyond } from "#shared/ports/beyond.ts";
import { HubError } from "#shared/ports/hub.ts";
import { type Registry, type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import {
  aHostedCluster,
  aWorld,
  aWorldOf,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  inMemory,
  secret,
  type World,
} from "../../test/support/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../../test/support/objects.ts";

const digest = `sha256:${"a".repeat(64)}`;
const tagged = "reg.lan/own/release:4.20.4";
const key = "clusters/shop";
const rule = (source: string, mirror = "m1.lan") => ({
  source,
  mirrors: [`${mirror}/${source.replace("/", "-")}`],
});
const mirrorSets = (mirror?: string) => [
  aDigestMirrorSet("art", [rule("reg.lan/own/art", mirror)]),
  aDigestMirrorSet("other", [rule("docker.io/library")]),
];

/** A registry with one release, whose images are all in `reg.lan/own/art`. */
function aPublisher() {
  const asked: string[] = [];
  const accesses: (RegistryAccess | undefined)[] = [];
  const state = { isDown: false, images: "reg.lan/own/art", digest };
  const registry: Registry = {
    ...nothingBeyond.registry,
    digest: async (image, access) => {
      asked.push(image);
      accesses.push(access);
      if (state.isDown) throw new RegistryError("Unavailable", `${image}: the registry answered 503`);
      return image.startsWith("reg.lan/own/release") ? state.digest : undefined;
    },
    image: async () => ({
      digest,
      listDigest: digest,
      architecture: "amd64",
      os: "linux",
      labels: { "io.openshift.release": "4.20.4" },
      layers: [],
      size: 0,
    }),
    files: async () => {
      const tags = ["cli", "etcd"].map((name) => ({ name, from: { name: `${state.images}@${digest}` } }));
      return new Map([
        [imageReferencesPath, JSON.stringify({ metadata: { name: "4.20.4" }, spec: { tags } })],
      ]);
    },
  };
  return { asked, accesses, state, registry };
}

let publisher = aPublisher();
let world: World | undefined;
beforeEach(() => {
  publisher = aPublisher();
});
afterEach(() => world?.close());

async function aShop(
  more: Parameters<typeof aHostedCluster>[1] = {},
  {
    release = tagged,
    objects = [] as readonly KubernetesObject[],
    overrides = undefined as string | undefined,
  } = {},
): Promise<World> {
  const configuration = { operatorhub: { disableAllDefaultSources: true } };
  const hostedCluster = aHostedCluster("shop", {
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
const concerned = "reg.lan/own/art=m1.lan/reg.lan-own/art";
const every = `docker.io/library=m1.lan/docker.io-library,${concerned}`;

describe("a hosted cluster that runs releases of another publisher", () => {
  test("When the release can be read, it should be given the sources of its images alone", async () => {
    const shop = await aShop();
    await shop.settle(key);
    expect(await environment(shop)).toBe(concerned);
  });

  test("When mirrors change, it should be woken by those of its own alone, and no registry be asked about that", async () => {
    const shop = await aShop();
    await shop.settle(key);
    const asked = publisher.asked.length;
    await change(shop, "other", [rule("docker.io/library", "m2.lan")]);
    await shop.deliver("mirrors");
    expect(shop.sent).toEqual([]);
    await change(shop, "art", [rule("reg.lan/own/art", "m2.lan")]);
    await shop.deliver("mirrors");
    expect(shop.sent).toEqual([key]);
    expect(publisher.asked).toHaveLength(asked);
  });

  test("When the registry fails from the beginning, it should be given every source until it answers", async () => {
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
    expect(await environment(shop)).toBe(concerned);
  });

  test("When the registry fails later, it should keep what was known, and write nothing", async () => {
    const shop = await aShop();
    await shop.settle(key);
    publisher.state.isDown = true;
    expect((await shop.deliver(key)).actions).toEqual([]);
    expect(await environment(shop)).toBe(concerned);
  });

  test("When it asks for another release while the registry fails, what was known should not count for that", async () => {
    const shop = await aShop();
    await shop.settle(key);
    publisher.state.isDown = true;
    const present = await shop.hub.get(kinds.HostedCluster, "shop", "clusters");
    if (!present) throw new Error("the hosted cluster of this test is gone");
    const release = { image: "reg.lan/own/release:4.21.0" };
    await shop.hub.update({ ...present, spec: { ...Object(present.spec), release } });
    await shop.settle(key);
    expect(await environment(shop)).toBe(every);
  });

  test("When somebody has written nonsense into what is remembered, the registry should be asked again", async () => {
    const shop = await aShop({}, { release: `reg.lan/own/release@${digest}` });
    await shop.settle(key);
    const [event] = (await shop.hub.list(kinds.Event)).filter(({ reason }) => reason === "RegistryMirrors");
    if (!event) throw new Error("the Event of this test is gone");
    const annotations = { ...event.metadata.annotations, "hubrelay.dev/release-repositories": "{" };
    await shop.hub.update({ ...event, metadata: { ...event.metadata, annotations } });
    await shop.settle(key);
    expect(await environment(shop)).toBe(concerned);
  });

  test("When a digest names the release, it should be read once", async () => {
    const shop = await aShop({}, { release: `reg.lan/own/release@${digest}` });
    await shop.settle(key);
    const asked = publisher.asked.length;
    await shop.settle(key);
    expect(publisher.asked).toHaveLength(asked);
    expect(await environment(shop)).toBe(concerned);
  });

  test("When a tag is moved to a release with images elsewhere, it should follow", async () => {
    const shop = await aShop();
    await shop.settle(key);
    Object.assign(publisher.state, { images: "docker.io/library/art", digest: `sha256:${"b".repeat(64)}` });
    await shop.settle(key);
    expect(await environment(shop)).toBe("docker.io/library=m1.lan/docker.io-library");
  });

  test("When HyperShift writes for it, mirrors of others should be no drift", async () => {
    const shop = await aShop({ metadata: { finalizers: [hypershiftFinalizer] } }, { overrides: concerned });
    const { decisions } = await shop.settle(key);
    expect(decisions).toContainEqual(
      expect.objectContaining({ subject: `${key} Overrides`, verdict: "in agreement" }),
    );
  });

  test("When its nodes' mirrors are derived, they should be those of its images, and stay while nobody can read the release", async () => {
    const shop = await aShop({
      metadata: { annotations: { "hubrelay.dev/image-content-sources": "release" } },
    });
    const sources = async () =>
      Object((await shop.hub.get(kinds.HostedCluster, "shop", "clusters"))?.spec).imageContentSources;
    await shop.settle(key);
    expect(await sources()).toEqual([rule("reg.lan/own/art")]);
    publisher.state.isDown = true;
    const present = await shop.hub.get(kinds.HostedCluster, "shop", "clusters");
    if (!present) throw new Error("the hosted cluster of this test is gone");
    const release = { image: "reg.lan/own/release:4.21.0" };
    await shop.hub.update({ ...present, spec: { ...Object(present.spec), release } });
    await shop.settle(key);
    expect(await sources()).toEqual([rule("reg.lan/own/art")]);
    await change(shop, "art", [rule("reg.lan/own/art", "m2.lan")]);
    await shop.settle(key);
    expect(await sources()).toEqual([rule("reg.lan/own/art", "m2.lan")]);
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

describe("a release that cannot be read since something is missing to ask for it", () => {
  const image: KubernetesObject = {
    apiVersion: kinds.Image.apiVersion,
    kind: kinds.Image.kind,
    metadata: { name: "cluster" },
    spec: { additionalTrustedCA: { name: "registries" } },
  };
  /** A hub whose account may not read in `openshift-config` until it is `allowed`. */
  async function aGuardedShop(pullSecret: string) {
    const hostedCluster = aHostedCluster("shop", {
      spec: {
        release: { image: tagged },
        configuration: { operatorhub: { disableAllDefaultSources: true } },
      },
    });
    const given = controlPlaneOf(hostedCluster).filter(({ metadata }) => metadata.name !== "pull-secret");
    const apis = inMemory(
      [
        hostedCluster,
        ...given,
        secret("clusters-shop", "pull-secret", { ".dockerconfigjson": pullSecret }),
        ...mirrorSets(),
        image,
      ],
      [guestClusterVersion()],
    );
    const allowed = { value: false };
    const get: typeof apis.hub.get = async (kind, name, namespace) => {
      if (namespace === "openshift-config" && !allowed.value)
        throw new HubError("Forbidden", `get ${name}: forbidden`);
      return apis.hub.get(kind, name, namespace);
    };
    world = aWorldOf({ ...apis, hub: { ...apis.hub, get } }, publisher.registry);
    const shop = world;
    const told = async () => {
      await shop.settle(key);
      const events = await shop.hub.list(kinds.Event, { namespace: "clusters" });
      return new Map(events.map(({ reason, message }) => [String(reason), String(message)]));
    };
    return { told, allowed };
  }

  test("When the authorities of registries may not be read, it should say with which commands they may, until it is so", async () => {
    const { told, allowed } = await aGuardedShop("{}");
    publisher.state.isDown = true;
    const message = (await told()).get("AuthoritiesForbidden") ?? "";
    expect(message).toContain("ConfigMap openshift-config/registries");
    expect(message).toContain(
      "oc create role hubrelay-registry-authorities -n openshift-config --verb get --resource configmaps --resource-name registries",
    );
    expect(message).toContain(
      "oc create rolebinding hubrelay-registry-authorities -n openshift-config --role hubrelay-registry-authorities --serviceaccount hubrelay:hubrelay-hosted-clusters",
    );
    allowed.value = true;
    expect((await told()).has("AuthoritiesForbidden")).toBe(false);
  });

  test("When everything is found without them, it should say nothing", async () => {
    const { told } = await aGuardedShop(JSON.stringify({ credsStore: "desktop" }));
    const reasons = [...(await told()).keys()];
    expect(reasons).not.toContain("AuthoritiesForbidden");
    expect(reasons).not.toContain("LoginLeftToProgram");
  });

  test("When the pull secret leaves the login to a program, it should say so and what to do", async () => {
    const { told } = await aGuardedShop(JSON.stringify({ credHelpers: { "reg.lan": "ecr-login" } }));
    publisher.state.isDown = true;
    const message = (await told()).get("LoginLeftToProgram");
    expect(message).toContain("docker-credential-ecr-login");
    expect(message).toContain("podman login --authfile");
  });
});
