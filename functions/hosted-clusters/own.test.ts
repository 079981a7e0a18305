import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { traceKinds } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import {
  aHostedCluster,
  aHostedControlPlane,
  catalogTags,
  guestClusterVersion,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { ownWorld, sources } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { hostedClusters } from "./controller.ts";

const namespace = "clusters-shop";

describe("what hubrelay writes as the only owner", () => {
  test("When a hosted cluster has everything, it should write control plane and guest, and then nothing else", async () => {
    const world = await ownWorld(
      aHostedCluster("shop", {
        spec: { imageContentSources: sources, capabilities: { disabled: ["ImageRegistry"] } },
      }),
      [
        aDigestMirrorSet("ocp", sources),
        aDigestMirrorSet("other", [{ source: "docker.io", mirrors: ["m.io"] }]),
      ],
    );
    const { hub, guest } = world;
    const { decisions } = await world.settle("clusters/shop");
    expect(decisions).toMatchObject([{ subject: "clusters/shop", verdict: "unchanged" }]);

    expect(await hub.get(kinds.HostedControlPlane, "shop", namespace)).toMatchObject({
      spec: { imageContentSources: sources, capabilities: { disabled: ["ImageRegistry"] } },
    });
    const operator = await hub.get(kinds.Deployment, "control-plane-operator", namespace);
    expect(Object(operator?.spec).template.spec.containers[0].env).toEqual([
      { name: "POD_NAME", value: "x" },
      {
        name: "OPENSHIFT_IMG_OVERRIDES",
        value: "quay.io/openshift-release-dev/ocp-release=mirror.corp.example:5000/ocp/release",
      },
    ]);
    const stream = await hub.get(kinds.ImageStream, "catalogs", namespace);
    expect(Object(stream?.spec).tags.map(({ from }: { from: { name: string } }) => from.name)).toEqual(
      Object.keys(catalogTags("registry.redhat.io/redhat", "v4.20", 1)),
    );
    const ignition = await hub.get(kinds.ConfigMap, "ignition-config-40-image-content-source", namespace);
    expect(ignition?.metadata.labels).toEqual({ "hypershift.openshift.io/core-ignition-config": "true" });
    const mirrorSet = await guest.get(kinds.ImageDigestMirrorSet, "cluster");
    expect(mirrorSet?.spec).toEqual({ imageDigestMirrors: sources });
    expect(parse(Object(ignition?.data).config)).toMatchObject({
      kind: "ImageDigestMirrorSet",
      spec: mirrorSet?.spec,
    });

    expect((await guest.get(kinds.OperatorHub, "cluster"))?.spec).toEqual({});
    const catalogs = await guest.list(kinds.CatalogSource);
    expect(catalogs.map(({ metadata, spec }) => [metadata.name, Object(spec).address])).toEqual([
      ["certified-operators", "certified-operators:50051"],
      ["community-operators", "community-operators:50051"],
      ["redhat-marketplace", "redhat-marketplace:50051"],
      ["redhat-operators", "redhat-operators:50051"],
    ]);
    const version = await guest.get(kinds.ClusterVersion, "version");
    expect(version?.spec).toMatchObject({
      channel: "stable-4.20",
      capabilities: { baselineCapabilitySet: "None" },
    });
    expect(Object(version?.spec).capabilities.additionalEnabledCapabilities).not.toContain("ImageRegistry");
  });

  test("When a mirror that affects no cluster changes, it should write nothing", async () => {
    const other = aDigestMirrorSet("other", [{ source: "docker.io", mirrors: ["m.io"] }]);
    const world = await ownWorld(aHostedCluster(), [aDigestMirrorSet("ocp", sources), other]);
    await world.settle("clusters/shop");
    const present = await world.hub.get(kinds.ImageDigestMirrorSet, "other");
    if (!present) throw new Error("the mirror set of this test is gone");
    await world.hub.update({
      ...present,
      spec: { imageDigestMirrors: [{ source: "docker.io/library", mirrors: ["n.io/library"] }] },
    });
    expect((await world.deliver("clusters/shop")).actions).toEqual([]);
    expect(await world.affected()).toEqual([]);
  });

  test("When what it wrote is changed by hand, it should write it again", async () => {
    const world = await ownWorld(aHostedCluster("shop", { spec: { imageContentSources: sources } }));
    await world.settle("clusters/shop");
    const mirrorSet = await world.guest.get(kinds.ImageDigestMirrorSet, "cluster");
    if (!mirrorSet) throw new Error("it was written");
    await world.guest.update({ ...mirrorSet, spec: { imageDigestMirrors: [] } });
    await world.settle("clusters/shop");
    expect((await world.guest.get(kinds.ImageDigestMirrorSet, "cluster"))?.spec).toEqual({
      imageDigestMirrors: sources,
    });
  });

  test("When its own update leaves a disabled capability on in the guest, it should warn at once, and then plan nothing else", async () => {
    const guestVersion = guestClusterVersion();
    const world = await ownWorld(
      aHostedCluster("shop", { spec: { capabilities: { disabled: ["ImageRegistry"] } } }),
      [],
      [
        {
          ...guestVersion,
          status: {
            history: [{ state: "Completed", version: "4.20.4" }],
            capabilities: { enabledCapabilities: ["Build", "ImageRegistry"] },
          },
        },
      ],
    );
    await world.deliver("clusters/shop");
    const reasons = (await world.hub.list(kinds.Event)).map((event) => Object(event).reason);
    expect(reasons).toContain("ImplicitlyEnabled");
    expect((await world.deliver("clusters/shop")).actions).toEqual([]);
  });

  test("When a setting changes between its reads, it should report what the plan leaves, not what it may overwrite", async () => {
    const name = "openshift-controller-manager-config";
    const setting = (controllers: readonly string[]): KubernetesObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace },
      data: { "config.yaml": JSON.stringify({ controllers }) },
    });
    const removed: KubernetesObject = {
      apiVersion: traceKinds.RegistryConfig.apiVersion,
      kind: traceKinds.RegistryConfig.kind,
      metadata: { name: "cluster" },
      spec: { managementState: "Removed" },
    };
    const world = await ownWorld(aHostedCluster(), [setting(["*"])], [guestClusterVersion(), removed]);
    await world.settle("clusters/shop");
    const { hub, ports } = world;
    const changedWhenRead: Hub = {
      ...hub,
      async get(kind, wanted, within) {
        const found = await hub.get(kind, wanted, within);
        if (found && wanted === name) await hub.update({ ...found, data: setting(["*"]).data });
        return found;
      },
    };
    const { plan } = await reconcile(hostedClusters, "clusters/shop", { ...ports, hub: changedWhenRead });
    expect(plan.actions).toEqual([]);
  });

  test("When the catalogs run in the guest, the guest should get their images, and the control plane no stream", async () => {
    const world = await ownWorld(aHostedCluster("shop", { spec: { olmCatalogPlacement: "guest" } }));
    await world.settle("clusters/shop");
    const catalogs = await world.guest.list(kinds.CatalogSource);
    expect(catalogs.map(({ spec }) => Object(spec).image)).toEqual(
      Object.keys(catalogTags("registry.redhat.io/redhat", "v4.20", 1)),
    );
    expect(await world.hub.list(kinds.ImageStream)).toEqual([]);
  });

  test("When the default catalogs are disabled, it should delete them", async () => {
    const world = await ownWorld(aHostedCluster());
    await world.settle("clusters/shop");
    const present = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
    if (!present) throw new Error("the hosted cluster of this test is gone");
    const configuration = { operatorhub: { disableAllDefaultSources: true } };
    await world.hub.update({ ...present, spec: { ...Object(present.spec), configuration } });
    await world.settle("clusters/shop");
    expect(await world.guest.list(kinds.CatalogSource)).toEqual([]);
    expect((await world.guest.get(kinds.OperatorHub, "cluster"))?.spec).toEqual({
      disableAllDefaultSources: true,
    });
    expect(await world.hub.list(kinds.ImageStream)).toEqual([]);
  });

  test("When a registry fails, it should not change the catalogs, and report that", async () => {
    const world = await ownWorld(aHostedCluster());
    await world.settle("clusters/shop");
    const before = await world.hub.get(kinds.ImageStream, "catalogs", namespace);
    world.failing.add("registry.redhat.io");
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound", severity: "warning" }]);
    expect(await world.hub.get(kinds.ImageStream, "catalogs", namespace)).toEqual(before);
    expect(await world.guest.list(kinds.CatalogSource)).toHaveLength(4);
  });

  test.for([
    ["capabilities", { disabled: ["ImageRegistry"] }],
    ["olmCatalogPlacement", "guest"],
  ] as const)(
    "When the control plane was created with other %s, it should report that, and write the rest",
    async ([field, value]) => {
      const world = await ownWorld(
        aHostedCluster("shop", { spec: { [field]: value, imageContentSources: sources } }),
      );
      const present = await world.hub.get(kinds.HostedControlPlane, "shop", namespace);
      if (!present) throw new Error("the control plane of this test is gone");
      const made = aHostedControlPlane().spec;
      await world.hub.update({ ...present, spec: made });
      const { issues } = await world.settle("clusters/shop");
      expect(issues).toMatchObject([{ code: "ControlPlaneImmutable", path: `spec.${field}` }]);
      expect((await world.hub.get(kinds.HostedControlPlane, "shop", namespace))?.spec).toEqual({
        ...Object(made),
        imageContentSources: sources,
      });
    },
  );

  test("When the guest does not respond, it should still write the control plane", async () => {
    const world = await ownWorld(aHostedCluster("shop", { spec: { imageContentSources: sources } }));
    world.isGuestDead.value = true;
    const { decisions } = await world.settle("clusters/shop");
    expect(decisions).toMatchObject([{ verdict: "waiting" }]);
    expect(decisions[0]?.reason).toMatch(/did not respond in time/);
    expect(
      await world.hub.get(kinds.ConfigMap, "ignition-config-40-image-content-source", namespace),
    ).toBeDefined();
    expect(await world.guest.list(kinds.CatalogSource)).toEqual([]);
  });

  /** The encoding of HyperShift's control-plane operator; older ones wrote `creationTimestamp: null` as well. */
  const mirrorText = (source: string, more = "") => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
${more}  labels:
    machineconfiguration.openshift.io/role: worker
  name: cluster
spec:
  imageDigestMirrors:
  - mirrors:
    - mirror.corp.example:5000/ocp/release
    source: ${source}
  - source: quay.io/acme
status: {}
`;
  const ocp = "quay.io/openshift-release-dev/ocp-release";
  test.for([
    { name: "there is none", present: undefined, text: mirrorText(ocp) },
    { name: "it is HyperShift's", present: mirrorText(ocp), text: mirrorText(ocp) },
    {
      name: "an older HyperShift wrote it",
      present: mirrorText(ocp, "  creationTimestamp: null\n"),
      text: mirrorText(ocp, "  creationTimestamp: null\n"),
    },
    { name: "it has another source", present: mirrorText("quay.io/old"), text: mirrorText(ocp) },
    {
      name: "it has more than it should",
      present: `${mirrorText(ocp)}---\n${mirrorText(ocp)}`,
      text: mirrorText(ocp),
    },
    { name: "it is not an object", present: "nonsense", text: mirrorText(ocp) },
  ])(
    "When $name, the text that rolls the nodes should change only with its meaning",
    async ({ present, text }) => {
      const configMap = {
        ...kinds.ConfigMap,
        metadata: { name: "ignition-config-40-image-content-source", namespace },
        data: { config: present },
      };
      const world = await ownWorld(
        aHostedCluster("shop", {
          spec: { imageContentSources: [...sources, { source: "quay.io/acme", mirrors: [] }] },
        }),
        present === undefined ? [] : [configMap],
      );
      await world.settle("clusters/shop");
      const found = await world.hub.get(kinds.ConfigMap, configMap.metadata.name, namespace);
      expect(found?.data).toEqual({ config: text });
    },
  );

  test("When the hosted cluster is deleted, it should delete its Events", async () => {
    const world = await ownWorld(
      aHostedCluster("shop", { spec: { capabilities: { disabled: ["Ingress"] } } }),
    );
    await world.settle("clusters/shop");
    expect((await world.hub.list(kinds.Event)).length).toBeGreaterThan(0);
    await world.hub.delete({ ...kinds.HostedCluster, name: "shop", namespace: "clusters" });
    expect((await world.settle("clusters/shop")).decisions).toMatchObject([{ verdict: "gone" }]);
    expect(await world.hub.list(kinds.Event)).toEqual([]);
  });
});
