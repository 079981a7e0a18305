import { describe, expect, test } from "vitest";
import { traceKinds } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { guestClusterVersion } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { ownWorld, sources } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { hostedClusters } from "./controller.ts";

const namespace = "clusters-shop";

describe("what hubrelay writes as the only owner", () => {
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

  test("When an edit is reversed while it is written to the guest, the guest should get the present value", async () => {
    const world = await ownWorld(aHostedCluster({ spec: { imageContentSources: sources } }));
    await world.settle("clusters/shop");
    const { hub, guest, ports } = world;
    const edit = async (imageContentSources: unknown) => {
      const found = await hub.get(kinds.HostedCluster, "shop", "clusters");
      if (found) await hub.update({ ...found, spec: { ...Object(found.spec), imageContentSources } });
    };
    const reversing: Hub = {
      ...guest,
      async update(object) {
        await edit(sources);
        await world.deliver("clusters/shop");
        return guest.update(object);
      },
    };
    await edit([]);
    const guests = { open: async () => reversing, opened: () => reversing };
    await reconcile(hostedClusters, "clusters/shop", { ...ports, external: { ...ports.external, guests } });
    const inGuest = await guest.get(kinds.ImageDigestMirrorSet, "cluster");
    expect(inGuest?.spec).toEqual({ imageDigestMirrors: sources });
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
        aHostedCluster({
          spec: { imageContentSources: [...sources, { source: "quay.io/acme", mirrors: [] }] },
        }),
        present === undefined ? [] : [configMap],
      );
      await world.settle("clusters/shop");
      const found = await world.hub.get(kinds.ConfigMap, configMap.metadata.name, namespace);
      expect(found?.data).toEqual({ config: text });
    },
  );
});
