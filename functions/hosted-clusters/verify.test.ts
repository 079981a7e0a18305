import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import {
  aControlPlaneOperator,
  aHostedCluster,
  hypershiftFinalizer,
  secret,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  pair,
  reasonsOn,
  rightVersion,
  verifyWorld,
} from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";

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

  test("When the control plane has not passed a mirror on, or cannot use it, it should report both", async () => {
    const readers = ["hosted-cluster-config-operator", "ignition-server"].map((name, index) =>
      aControlPlaneOperator("shop", index === 0 ? pair : "=", name),
    );
    const world = await verifyWorld({ objects: readers });
    const { decisions } = await world.settle("clusters/shop");
    expect(decisions.find(({ subject }) => subject.endsWith("Overrides"))?.differences).toEqual([
      `The Deployment ignition-server lacks the mirror ${pair}.`,
    ]);
    const present = await world.hub.get(kinds.ImageDigestMirrorSet, "ocp");
    if (!present) throw new Error("the mirror set of this test is gone");
    const rule = { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["m.corp.example/release"] };
    await world.hub.update({ ...present, spec: { imageDigestMirrors: [rule] } });
    const { issues } = await world.settle("clusters/shop");
    expect(issues.map(({ code, object }) => [code, object.kind])).toEqual([
      ["UnusablePair", "ImageDigestMirrorSet"],
    ]);
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
