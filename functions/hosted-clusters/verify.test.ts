import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import {
  aControlPlaneOperator,
  aHostedCluster,
  hypershiftFinalizer,
  secret,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aDisposedWorld,
  guestVersion,
  pair,
  reasonsOn,
  rightVersion,
  type Setting,
  verifyWorld,
} from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";

const minutes = (count: number) => count * 60_000;

type Fields = Readonly<Record<string, unknown>>;

const verdicts = ({ decisions }: Awaited<ReturnType<World["deliver"]>>) =>
  Object.fromEntries(
    decisions.map(({ subject, verdict }) => [subject.replace("clusters/shop ", ""), verdict]),
  );

describe("under HyperShift", () => {
  test("When everything is as it should be, it should write its one Event, ask no registry and send no outcome", async () => {
    const world = await verifyWorld();
    expect(verdicts(await world.settle("clusters/shop"))).toEqual({
      ControlPlane: "in agreement",
      Overrides: "in agreement",
      Guest: "in agreement",
    });
    expect(await reasonsOn(world)).toEqual(["RegistryMirrors"]);
    expect([world.asked, world.outcomes]).toEqual([[], []]);
  });

  const listed = { enabled: [], disabled: ["Insights"] };
  test.for<Readonly<{ name: string; spec: Fields; copied: Fields; mirrorSet: readonly object[] }>>([
    {
      name: "capabilities",
      spec: { capabilities: listed },
      copied: { capabilities: { disabled: ["Insights"] } },
      mirrorSet: [],
    },
    {
      name: "mirrors of a source",
      spec: { imageContentSources: [{ source: "quay.io/acme", mirrors: [] }] },
      copied: { imageContentSources: [{ source: "quay.io/acme" }] },
      mirrorSet: [{ source: "quay.io/acme" }],
    },
  ])(
    "When HyperShift's client omitted an empty list of $name, it should not report drift",
    async ({ spec, copied, mirrorSet }) => {
      const world = await verifyWorld({
        hostedCluster: aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] }, spec }),
        fields: copied,
        guest: [
          rightVersion,
          { ...aDigestMirrorSet("cluster", []), spec: { imageDigestMirrors: mirrorSet } },
        ],
      });
      const found = verdicts(await world.settle("clusters/shop"));
      expect(found).toMatchObject({ ControlPlane: "in agreement", Guest: "in agreement" });
    },
  );

  const aged = (days: number) => minutes(days * 24 * 60);
  test.for<Readonly<{ name: string; part: string; says: string; setting: Setting }>>([
    {
      name: "a field is not copied",
      part: "ControlPlane",
      says: "spec.capabilities differs",
      setting: { fields: { capabilities: { disabled: ["Insights"] } } },
    },
    {
      name: "the control plane lacks a mirror",
      part: "Overrides",
      says: `lacks the mirror ${pair}`,
      setting: { overrides: "=" },
    },
    {
      name: "the control plane has a deleted mirror",
      part: "Overrides",
      says: "still has the mirror quay.io=old.example",
      setting: { overrides: `${pair},quay.io=old.example` },
    },
    {
      name: "the guest has unrequested mirrors",
      part: "Guest",
      says: "ImageDigestMirrorSet cluster does not match",
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
    "When $name, it should report it as expected first, and as drift once after the grace period",
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
      if (!first.requeueAt) throw new Error("requeueAt is missing");
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

  test("When HyperShift has not started, it should wait, and report the owner", async () => {
    const object = aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] } });
    const world = await aDisposedWorld([object]);
    const { decisions } = await world.settle("clusters/shop");
    const about = (part: string) => decisions.find(({ subject }) => subject.endsWith(part));
    for (const part of ["ControlPlane", "Overrides"])
      expect(about(part)).toMatchObject({ verdict: "waiting", owner: "HyperShift's operator" });
  });

  test("When drift is over, it should delete its Events", async () => {
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

  test("When HyperShift has mirrors for others in a different order, it should report nothing", async () => {
    const world = await verifyWorld({ overrides: `docker.io=x.example,${pair}` });
    expect(verdicts(await world.settle("clusters/shop")).Overrides).toBe("in agreement");
  });

  test("When the guest is unreachable, it should report the rest, and nothing about the guest", async () => {
    const world = await verifyWorld({ overrides: "=" });
    world.isGuestDead.value = true;
    expect(verdicts(await world.settle("clusters/shop"))).toEqual({
      ControlPlane: "in agreement",
      Overrides: "expected",
      Guest: "unknown",
    });
  });

  test("When the hosted cluster has errors, it should create an Event for each, and send one outcome `refused`", async () => {
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

  test("When a capability is disabled, it should report everything that is left of it, on the hub and in the guest", async () => {
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

  test("When NodeTuning is disabled, it should warn on each NodePool that requests tuning, until it no longer does", async () => {
    const disabled = { capabilities: { disabled: ["NodeTuning"] } };
    const world = await verifyWorld({
      hostedCluster: aHostedCluster("shop", {
        metadata: { finalizers: [hypershiftFinalizer] },
        spec: disabled,
      }),
    });
    const nodePool = (name: string, spec: Fields) => ({
      ...kinds.NodePool,
      metadata: { name, namespace: "clusters" },
      spec: { clusterName: "shop", ...spec },
    });
    const tuned = await world.hub.create(nodePool("tuned", { tuningConfig: [{ name: "hugepages" }] }));
    await world.hub.create(nodePool("plain", {}));
    const warned = async () =>
      (await world.hub.list(kinds.Event))
        .filter(({ reason }) => reason === "UnusedTuning")
        .map((event) => Object(event.involvedObject).name);
    await world.settle("clusters/shop");
    expect(await warned()).toEqual(["tuned"]);
    await world.hub.update({ ...tuned, spec: { clusterName: "shop" } });
    await world.settle("clusters/shop");
    expect(await warned()).toEqual([]);
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
});
