import { afterEach, describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { asNew } from "../../test/cluster/support/as-new.ts";
import {
  aControlPlaneOperator,
  aHostedCluster,
  aWorld,
  catalogTags,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  olmMirror,
  secret,
  type World,
} from "../../test/support/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../../test/support/objects.ts";

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const minutes = (count: number) => count * 60_000;
const release = { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["m.corp.example/release"] };
const pair = "quay.io/openshift-release-dev/ocp-release=m.corp.example/release";
const capabilities = {
  baselineCapabilitySet: "None",
  additionalEnabledCapabilities: ["Build", "Console"],
};
const guestVersion = guestClusterVersion("Build", "Console");
const rightVersion = { ...guestVersion, spec: { ...Object(guestVersion.spec), capabilities } };

type Setting = Readonly<{
  hostedCluster?: KubernetesObject;
  /** What the HostedControlPlane has otherwise than its HostedCluster. */
  fields?: Readonly<Record<string, unknown>>;
  overrides?: string;
  guest?: readonly KubernetesObject[];
}>;

/** A hub where HyperShift writes, with one mirror that concerns the hosted cluster. */
async function verifyWorld(setting: Setting = {}): Promise<World> {
  const {
    hostedCluster = aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] } }),
    fields = {},
    overrides = pair,
    guest = [rightVersion],
  } = setting;
  const controlPlane = controlPlaneOf(hostedCluster, { overrides, fields });
  const world = await aWorld([hostedCluster, ...controlPlane, aDigestMirrorSet("ocp", [release])], guest);
  worlds.push(world);
  return world;
}

const verdicts = ({ decisions }: Awaited<ReturnType<World["deliver"]>>) =>
  Object.fromEntries(
    decisions.map(({ subject, verdict }) => [subject.replace("clusters/shop ", ""), verdict]),
  );
const reasonsOn = async ({ hub }: World) =>
  (await hub.list(kinds.Event)).map(({ reason }) => String(reason)).sort();

describe("beside HyperShift", () => {
  test("When everything is as it should be, it should write its one Event, ask no registry and tell nobody", async () => {
    const world = await verifyWorld();
    expect(verdicts(await world.settle("clusters/shop"))).toEqual({
      ControlPlane: "in agreement",
      Overrides: "in agreement",
      Guest: "in agreement",
    });
    expect(await reasonsOn(world)).toEqual(["RegistryMirrors"]);
    expect([world.asked, world.outcomes]).toEqual([[], []]);
  });

  const aged = (days: number) => minutes(days * 24 * 60);
  test.for<Readonly<{ name: string; part: string; says: string; setting: Setting }>>([
    {
      name: "a field is not copied",
      part: "ControlPlane",
      says: "spec.capabilities is another",
      setting: { fields: { capabilities: { disabled: ["Insights"] } } },
    },
    {
      name: "the control plane lacks a mirror",
      part: "Overrides",
      says: `lacks the mirror ${pair}`,
      setting: { overrides: "=" },
    },
    {
      name: "the control plane has a mirror that is gone",
      part: "Overrides",
      says: "still has the mirror quay.io=old.example",
      setting: { overrides: `${pair},quay.io=old.example` },
    },
    {
      name: "the guest has mirrors that nobody asked for",
      part: "Guest",
      says: "ImageDigestMirrorSet cluster is not",
      setting: {
        guest: [rightVersion, aDigestMirrorSet("cluster", [{ source: "quay.io", mirrors: ["m.example"] }])],
      },
    },
    {
      name: "the guest enables less",
      part: "Guest",
      says: "does not enable Build, Console",
      setting: { guest: [guestVersion] },
    },
  ])(
    "When $name, it should expect it first, and call it drift after its time, once",
    async ({ part, says, setting }) => {
      const world = await verifyWorld(setting);
      const first = await world.deliver("clusters/shop");
      expect(verdicts(first)[part]).toBe("expected");
      expect(first.decisions.find(({ subject }) => subject.endsWith(part))).toMatchObject({
        owner: expect.stringContaining("HyperShift"),
        differences: [expect.stringContaining(says)],
      });
      expect(world.outcomes).toEqual([]);
      expect(await reasonsOn(world)).toContain(`${part}Expected`);
      if (!first.requeueAt) throw new Error("it must look again");
      world.clock.now = new Date(first.requeueAt.getTime() + 1);
      expect(verdicts(await world.deliver("clusters/shop"))[part]).toBe("drift");
      expect(await reasonsOn(world)).toContain(`${part}Drift`);
      expect(world.outcomes).toMatchObject([
        { type: "dev.hubrelay.hosted-clusters.drift", data: { about: part } },
      ]);
      expect(JSON.stringify(world.outcomes[0]?.data.differences)).toContain(says);
      world.clock.now = new Date(world.clock.now.getTime() + aged(1));
      expect((await world.deliver("clusters/shop")).actions).toEqual([]);
      expect(world.outcomes).toHaveLength(1);
    },
  );

  test("When HyperShift has not begun, it should wait for it, and say whose it is", async () => {
    const object = aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] } });
    const world = await aWorld([object]);
    worlds.push(world);
    const { decisions } = await world.settle("clusters/shop");
    const about = (part: string) => decisions.find(({ subject }) => subject.endsWith(part));
    for (const part of ["ControlPlane", "Overrides"])
      expect(about(part)).toMatchObject({ verdict: "waiting", owner: "HyperShift's operator" });
  });

  test("When drift is over, it should take its Events back", async () => {
    const world = await verifyWorld({ overrides: "=" });
    await world.deliver("clusters/shop");
    world.clock.now = new Date(world.clock.now.getTime() + minutes(20));
    await world.deliver("clusters/shop");
    const operator = await world.hub.get(kinds.Deployment, "control-plane-operator", "clusters-shop");
    if (!operator) throw new Error("the operator of this test is gone");
    await world.hub.update({ ...operator, spec: aControlPlaneOperator("shop", pair).spec });
    await world.settle("clusters/shop");
    expect(await reasonsOn(world)).toEqual(["RegistryMirrors"]);
  });

  test("When HyperShift has mirrors that concern others in another order, it should say nothing", async () => {
    const world = await verifyWorld({ overrides: `docker.io=x.example,${pair}` });
    expect(verdicts(await world.settle("clusters/shop")).Overrides).toBe("in agreement");
  });

  test("When the guest is dead, it should tell the rest, and nothing about the guest", async () => {
    const world = await verifyWorld({ overrides: "=" });
    world.isGuestDead.value = true;
    expect(verdicts(await world.settle("clusters/shop"))).toEqual({
      ControlPlane: "in agreement",
      Overrides: "expected",
      Guest: "unknown",
    });
  });

  test("When the hosted cluster has mistakes, it should put each on it as an Event, and refuse once in an outcome", async () => {
    const world = await verifyWorld({
      hostedCluster: aHostedCluster("shop", {
        metadata: {
          finalizers: [hypershiftFinalizer],
          annotations: {
            "hypershift.openshift.io/redhat-operators-catalog-image": "m.example/redhat:v4.20",
            "hypershift.openshift.io/olm-catalogs-is-registry-overrides": "nonsense",
          },
        },
      }),
    });
    await world.settle("clusters/shop");
    expect(await reasonsOn(world)).toEqual(expect.arrayContaining(["CatalogNotByDigest", "DroppedPair"]));
    expect(world.outcomes.map(({ type }) => type)).toEqual(["dev.hubrelay.hosted-clusters.refused"]);
  });

  test("When a capability is disabled, it should tell each thing that is left of it, here and in the guest", async () => {
    const without = { capabilities: { disabled: ["ImageRegistry"] }, platform: { type: "AWS" } };
    const world = await verifyWorld({
      hostedCluster: aHostedCluster("shop", {
        metadata: { finalizers: [hypershiftFinalizer] },
        spec: without,
      }),
      guest: [
        rightVersion,
        secret("openshift-image-registry", "installer-cloud-credentials", { role: "arn" }),
      ],
    });
    await world.hub.create(secret("clusters-shop", "cluster-image-registry-operator", { "tls.crt": "x" }));
    const leftovers = async () =>
      (await world.hub.list(kinds.Event))
        .filter(({ reason }) => reason === "CapabilityLeftover")
        .map(({ message }) => String(message));
    await world.settle("clusters/shop");
    expect((await leftovers()).join()).toMatch(/Secret\/clusters-shop\/cluster-image-registry-operator/);
    expect((await leftovers()).join()).toMatch(
      /Secret\/openshift-image-registry\/installer-cloud-credentials/,
    );
    await world.hub.delete({
      ...kinds.Secret,
      name: "cluster-image-registry-operator",
      namespace: "clusters-shop",
    });
    await world.settle("clusters/shop");
    expect((await leftovers()).join()).not.toMatch(/cluster-image-registry-operator/);
  });

  test("When the operator is deployed and has not seen the hosted cluster yet, it should not write for it", async () => {
    const world = await verifyWorld({ hostedCluster: aHostedCluster() });
    await world.hub.create({
      ...kinds.Deployment,
      metadata: { name: "operator", namespace: "hypershift" },
      spec: {},
    });
    expect(verdicts(await world.settle("clusters/shop"))).toMatchObject({ ControlPlane: "in agreement" });
    expect(await world.guest.list(kinds.CatalogSource)).toEqual([]);
  });

  test("When a person hands it the catalogs, it should write them, and nothing else of HyperShift's", async () => {
    const world = await verifyWorld({
      hostedCluster: aHostedCluster("shop", {
        metadata: {
          finalizers: [hypershiftFinalizer],
          annotations: { "hubrelay.dev/olm-catalogs": "from-mirrors" },
        },
      }),
    });
    await world.hub.create(
      asNew(
        aDigestMirrorSet("olm", [{ source: "registry.redhat.io", mirrors: ["mirror.corp.example:5000"] }]),
      ),
    );
    const stored = catalogTags(olmMirror.replace("/olm", "/redhat"), "v4.20", 1);
    for (const [image, digest] of Object.entries(stored)) world.tags.set(image, digest);
    await world.settle("clusters/shop");
    expect(world.outcomes.map(({ type }) => type)).toEqual(["dev.hubrelay.hosted-clusters.changing"]);
    const controlPlane = await world.hub.get(kinds.HostedControlPlane, "shop", "clusters-shop");
    const hostedCluster = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
    if (!controlPlane || !hostedCluster) throw new Error("the objects of this test are gone");
    expect(controlPlane.metadata.annotations).toEqual({ "hypershift.openshift.io/cluster": "clusters/shop" });

    // HyperShift copies the annotations: now the change is in effect.
    await world.hub.update({
      ...controlPlane,
      metadata: {
        ...controlPlane.metadata,
        annotations: { ...controlPlane.metadata.annotations, ...hostedCluster.metadata.annotations },
      },
    });
    await world.settle("clusters/shop");
    expect(world.outcomes.map(({ type }) => type).slice(1)).toEqual(["dev.hubrelay.hosted-clusters.changed"]);
  });
});

describe("whom a changed mirror concerns", () => {
  const names = ["a", "b", "c"];
  const images: Readonly<Record<string, string>> = {
    a: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi",
    b: "quay.io/openshift-release-dev/ocp-release:4.19.1-multi",
    c: "quay.io/openshift-release-dev/ocp-release:4.18.9-multi",
  };

  /** Three hosted clusters that have been looked at, the last one with catalogs of its own. */
  async function aFleet(): Promise<World> {
    const annotations = {
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides": "registry.redhat.io=catalogs.example",
    };
    const clusters = names.map((name) =>
      aHostedCluster(name, {
        metadata: { finalizers: [hypershiftFinalizer], ...(name === "c" ? { annotations } : {}) },
        spec: { release: { image: images[name] } },
      }),
    );
    const world = await aWorld([...clusters, aDigestMirrorSet("ocp", [release])]);
    worlds.push(world);
    for (const name of names) await world.settle(`clusters/${name}`);
    return world;
  }

  async function change({ hub }: World, name: string, rules: readonly (typeof release)[]): Promise<void> {
    const present = await hub.get(kinds.ImageDigestMirrorSet, name);
    if (present) await hub.update({ ...present, spec: { imageDigestMirrors: rules } });
    else await hub.create(asNew(aDigestMirrorSet(name, rules)));
  }

  test.for<readonly [string, (world: World) => Promise<void>, readonly string[]]>([
    ["nothing changed", async () => undefined, []],
    [
      "a mirror of nobody's images appears",
      (world) => change(world, "apps", [{ source: "docker.io", mirrors: ["m.example"] }]),
      [],
    ],
    [
      "a release's mirror changes",
      (world) => change(world, "ocp", [{ ...release, mirrors: ["n.corp.example/release"] }]),
      ["clusters/a", "clusters/b", "clusters/c"],
    ],
    [
      "a mirror of one cluster's catalogs appears",
      (world) => change(world, "olm", [{ source: "catalogs.example", mirrors: ["m.example/catalogs"] }]),
      ["clusters/c"],
    ],
    [
      "a mirror goes away",
      ({ hub }) => hub.delete({ ...kinds.ImageDigestMirrorSet, name: "ocp" }),
      ["clusters/a", "clusters/b", "clusters/c"],
    ],
    [
      "a rule is written in another object",
      async (world) => {
        await change(world, "again", [release]);
        await world.hub.delete({ ...kinds.ImageDigestMirrorSet, name: "ocp" });
      },
      [],
    ],
  ])("When %s, it should wake exactly those", async ([, edit, concerned]) => {
    const world = await aFleet();
    await edit(world);
    const { actions } = await world.deliver("mirrors");
    expect(actions).toEqual([]);
    expect(world.sent).toEqual(concerned);
    for (const key of concerned) await world.settle(key);
    world.sent.length = 0;
    await world.deliver("mirrors");
    expect(world.sent).toEqual([]);
  });
});
