import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { traceKinds } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import {
  aHostedCluster,
  guestClusterVersion,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { ownWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";

const namespace = "clusters-shop";
const registryHost = "image-registry.openshift-image-registry.svc:5000";

describe("the configuration that depends on capabilities", () => {
  const configMap = (name: string, file: string, content: unknown): KubernetesObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: { [file]: JSON.stringify(content), other: "untouched" },
  });
  const settings = [
    configMap("openshift-controller-manager-config", "config.yaml", {
      controllers: null,
      dockerPullSecret: { internalRegistryHostname: registryHost },
    }),
    configMap("openshift-apiserver", "config.yaml", {
      imagePolicyConfig: { internalRegistryHostname: registryHost },
    }),
  ];
  const policy: KubernetesObject = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "config" },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ["config.openshift.io"], resources: ["proxies", "ingresses"] }],
      },
    },
  };
  const registry = (managementState: string): KubernetesObject => ({
    apiVersion: "imageregistry.operator.openshift.io/v1",
    kind: "Config",
    metadata: { name: "cluster" },
    spec: { managementState },
  });
  const managerConfig = async ({ hub }: World) => {
    const found = await hub.get(kinds.ConfigMap, "openshift-controller-manager-config", namespace);
    return parse(Object(found?.data)["config.yaml"]);
  };
  const reported = async ({ hub }: World) =>
    (await hub.list(kinds.Event))
      .map(({ reason }) => String(reason))
      .filter((reason) => reason.startsWith("Capability"));

  test("When capabilities are disabled, it should write the settings of control plane and guest, create no file of other owners and report nothing", async () => {
    const capabilities = { disabled: ["ImageRegistry", "Ingress", "Console"] };
    const world = await ownWorld(aHostedCluster("shop", { spec: { capabilities } }), settings, [
      guestClusterVersion(),
      policy,
    ]);
    await world.settle("clusters/shop");
    expect(await managerConfig(world)).toEqual({
      controllers: ["*", "-openshift.io/serviceaccount-pull-secrets"],
      dockerPullSecret: {},
    });
    expect((await world.hub.get(kinds.ConfigMap, "openshift-apiserver", namespace))?.data).toEqual({
      "config.yaml": '{"imagePolicyConfig":{}}',
      other: "untouched",
    });
    expect(await world.hub.get(kinds.ConfigMap, "kas-config", namespace)).toBeUndefined();
    const guarded = await world.guest.get(kinds.ValidatingAdmissionPolicy, "config");
    expect(Object(guarded?.spec).matchConstraints.resourceRules[0].resources).toEqual(["proxies"]);
    expect(await reported(world)).toEqual([]);
  });

  const completed = (version: string) => ({ state: "Completed", version });
  const partial = (version: string) => ({ state: "Partial", version });
  test.for([
    { of: "4.17 ignores both", history: [completed("4.17.9")], isHostKept: true, isGuarded: true },
    {
      of: "4.17 is upgraded to 4.18, of which only one ignores them",
      history: [partial("4.18.9"), completed("4.17.9")],
      isHostKept: true,
      isGuarded: true,
    },
    { of: "4.19 ignores Ingress", history: [completed("4.19.9")], isHostKept: false, isGuarded: true },
    {
      of: "4.19 is upgraded to 4.20, of which only one ignores Ingress",
      history: [partial("4.20.4"), completed("4.19.9")],
      isHostKept: false,
      isGuarded: true,
    },
    { of: "4.20 ignores none", history: [completed("4.20.4")], isHostKept: false, isGuarded: false },
  ])("When a control plane of $of, its settings should be written for what it omits", async (row) => {
    const disabled = ["ImageRegistry", "Ingress", "Console"];
    const [newest] = row.history;
    const image = `quay.io/openshift-release-dev/ocp-release:${newest?.version}-multi`;
    const hostedCluster = {
      ...aHostedCluster("shop", { spec: { capabilities: { disabled }, release: { image } } }),
      status: { version: { history: row.history } },
    };
    const world = await ownWorld(hostedCluster, settings, [guestClusterVersion(), policy]);
    await world.settle("clusters/shop");
    const host = (await managerConfig(world)).dockerPullSecret.internalRegistryHostname;
    expect(host).toBe(row.isHostKept ? registryHost : undefined);
    const guarded = await world.guest.get(kinds.ValidatingAdmissionPolicy, "config");
    const { resources } = Object(guarded?.spec).matchConstraints.resourceRules[0];
    expect(resources.includes("ingresses")).toBe(row.isGuarded);
    expect(await reported(world)).not.toContain("CapabilityLeftover");
  });

  test("When the registry's own configuration removes it and brings it back, the controllers should follow", async () => {
    const world = await ownWorld(aHostedCluster(), settings, [guestClusterVersion(), registry("Removed")]);
    await world.settle("clusters/shop");
    expect((await managerConfig(world)).controllers).toEqual([
      "*",
      "-openshift.io/serviceaccount-pull-secrets",
    ]);
    const [present] = await world.guest.list(traceKinds.RegistryConfig);
    if (!present) throw new Error("the configuration of this test is gone");
    await world.guest.update({ ...present, spec: { managementState: "Managed" } });
    await world.settle("clusters/shop");
    expect((await managerConfig(world)).controllers).toEqual(["*"]);
  });

  test("When something that may hold data is left, it should report it and not delete it", async () => {
    const claim: KubernetesObject = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "image-registry-storage", namespace: "openshift-image-registry" },
    };
    const world = await ownWorld(
      aHostedCluster("shop", { spec: { capabilities: { disabled: ["ImageRegistry"] } } }),
      settings,
      [guestClusterVersion(), claim],
    );
    await world.settle("clusters/shop");
    expect(await reported(world)).toEqual(["CapabilityDataKept"]);
    expect(await world.guest.list(traceKinds.PersistentVolumeClaim)).toHaveLength(1);
  });
});
