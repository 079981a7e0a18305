import { afterEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { lookedAt } from "#shared/domain/hosted-clusters/absence/expected-objects.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aHostedCluster,
  aHostedControlPlane,
  aWorld,
  catalogTags,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  imageStreams,
  olmMirror,
  secret,
  type World,
} from "../../test/support/hosted-cluster-hub.ts";
import { aDigestMirrorSet } from "../../test/support/objects.ts";

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A hub without HyperShift's operators: hubrelay writes. */
async function ownWorld(
  hostedCluster: KubernetesObject,
  more: readonly KubernetesObject[] = [],
  guest: readonly KubernetesObject[] = [guestClusterVersion()],
): Promise<World> {
  const world = await aWorld([hostedCluster, ...controlPlaneOf(hostedCluster), imageStreams, ...more], guest);
  for (const [image, digest] of Object.entries(catalogTags("registry.redhat.io/redhat", "v4.20", 1)))
    world.tags.set(image, digest);
  worlds.push(world);
  return world;
}

const sources = [
  { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["mirror.corp.example:5000/ocp/release"] },
];
const namespace = "clusters-shop";
const registryHost = "image-registry.openshift-image-registry.svc:5000";

describe("what hubrelay writes where nobody else does", () => {
  test("When a hosted cluster has everything, it should write control plane and guest, and then nothing more", async () => {
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
      ["redhat-operators", "redhat-operators:50051"],
    ]);
    const version = await guest.get(kinds.ClusterVersion, "version");
    expect(version?.spec).toMatchObject({
      channel: "stable-4.20",
      capabilities: { baselineCapabilitySet: "None" },
    });
    expect(Object(version?.spec).capabilities.additionalEnabledCapabilities).not.toContain("ImageRegistry");
  });

  test("When a mirror that concerns nobody changes, it should write nothing", async () => {
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
    await world.deliver("mirrors");
    expect(world.sent).toEqual([]);
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

  test("When the catalogs run in the guest, it should give it their images, and the control plane no stream", async () => {
    const world = await ownWorld(aHostedCluster("shop", { spec: { olmCatalogPlacement: "guest" } }));
    await world.settle("clusters/shop");
    const catalogs = await world.guest.list(kinds.CatalogSource);
    expect(catalogs.map(({ spec }) => Object(spec).image)).toEqual(
      Object.keys(catalogTags("registry.redhat.io/redhat", "v4.20", 1)),
    );
    expect(await world.hub.list(kinds.ImageStream)).toEqual([]);
  });

  test("When the default catalogs are disabled, it should take them away", async () => {
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

  test("When a registry fails, it should leave the catalogs as they are, and say so", async () => {
    const world = await ownWorld(aHostedCluster());
    await world.settle("clusters/shop");
    const before = await world.hub.get(kinds.ImageStream, "catalogs", namespace);
    world.failing.add("registry.redhat.io");
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound", severity: "warning" }]);
    expect(await world.hub.get(kinds.ImageStream, "catalogs", namespace)).toEqual(before);
    expect(await world.guest.list(kinds.CatalogSource)).toHaveLength(3);
  });

  test.for([
    ["capabilities", { disabled: ["ImageRegistry"] }],
    ["olmCatalogPlacement", "guest"],
  ] as const)(
    "When the control plane was made with other %s, it should say so, and write the rest",
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

  test("When the guest does not answer, it should write the control plane all the same", async () => {
    const world = await ownWorld(aHostedCluster("shop", { spec: { imageContentSources: sources } }));
    world.isGuestDead.value = true;
    const { decisions } = await world.settle("clusters/shop");
    expect(decisions).toMatchObject([{ verdict: "waiting" }]);
    expect(decisions[0]?.reason).toMatch(/did not answer in time/);
    expect(
      await world.hub.get(kinds.ConfigMap, "ignition-config-40-image-content-source", namespace),
    ).toBeDefined();
    expect(await world.guest.list(kinds.CatalogSource)).toEqual([]);
  });

  test("When the hosted cluster is paused, it should write nothing until then", async () => {
    const world = await ownWorld(aHostedCluster("shop", { spec: { pausedUntil: "2026-03-02T00:00:00Z" } }));
    const { decisions, requeueAt } = await world.settle("clusters/shop");
    expect(decisions).toMatchObject([{ verdict: "paused" }]);
    expect(requeueAt).toEqual(new Date("2026-03-02T00:00:00Z"));
    expect(await world.hub.list(kinds.ImageStream)).toEqual([]);
  });

  describe("the configuration that capabilities decide", () => {
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
    const told = async ({ hub }: World) =>
      (await hub.list(kinds.Event))
        .map(({ reason }) => String(reason))
        .filter((reason) => reason.startsWith("Capability"));

    test("When capabilities are disabled, it should write what control plane and guest are told, create no file of others and tell nothing of it", async () => {
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
      expect(await told(world)).toEqual([]);
    });

    test("When the registry's own configuration removes it and brings it back, the controllers should follow", async () => {
      const world = await ownWorld(aHostedCluster(), settings, [guestClusterVersion(), registry("Removed")]);
      await world.settle("clusters/shop");
      expect((await managerConfig(world)).controllers).toEqual([
        "*",
        "-openshift.io/serviceaccount-pull-secrets",
      ]);
      const [present] = await world.guest.list(lookedAt.RegistryConfig);
      if (!present) throw new Error("the configuration of this test is gone");
      await world.guest.update({ ...present, spec: { managementState: "Managed" } });
      await world.settle("clusters/shop");
      expect((await managerConfig(world)).controllers).toEqual(["*"]);
    });

    test("When something that may hold data is left, it should tell it and leave it there", async () => {
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
      expect(await told(world)).toEqual(["CapabilityDataKept"]);
      expect(await world.guest.list(lookedAt.PersistentVolumeClaim)).toHaveLength(1);
    });
  });

  test("When the guest lets only HyperShift's operator write mirrors, it should not try, say so, and write the rest", async () => {
    const policy: KubernetesObject = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "mirror" },
      spec: {},
    };
    const world = await ownWorld(
      aHostedCluster("shop", { spec: { imageContentSources: sources } }),
      [],
      [guestClusterVersion(), policy],
    );
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([
      { code: "GuestLocked", message: expect.stringContaining("ImageDigestMirrorSet cluster") },
    ]);
    expect(await world.guest.list(kinds.ImageDigestMirrorSet)).toEqual([]);
    expect(await world.guest.list(kinds.CatalogSource)).toHaveLength(3);
    await world.guest.delete({ ...kinds.ValidatingAdmissionPolicy, name: "mirror" });
    expect((await world.settle("clusters/shop")).issues).toEqual([]);
    expect(await world.guest.list(kinds.ImageDigestMirrorSet)).toHaveLength(1);
  });

  test("When HyperShift's operator has an account in the guest, it should come as that one, with the administrator's server", async () => {
    const config = (server: string, token: string) =>
      JSON.stringify({
        clusters: [{ name: "c", cluster: { server } }],
        users: [{ name: "u", user: { token } }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      });
    const world = await ownWorld(aHostedCluster(), [
      secret(namespace, "hcco-kubeconfig", { kubeconfig: config("https://kube-apiserver:6443", "operator") }),
    ]);
    const published = await world.hub.get(kinds.Secret, "admin-kubeconfig", namespace);
    if (!published) throw new Error("the kubeconfig of this test is gone");
    const admin = secret(namespace, "admin-kubeconfig", {
      kubeconfig: config("https://api.shop.example:6443", "admin"),
    });
    await world.hub.update({ ...published, ...admin, metadata: published.metadata });
    await world.settle("clusters/shop");
    expect(parse(world.kubeconfigs.at(-1) ?? "")).toMatchObject({
      clusters: [{ cluster: { server: "https://api.shop.example:6443" } }],
      users: [{ user: { token: "operator" } }],
    });
  });

  test("When the hosted cluster is deleted, it should take back what it told", async () => {
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

describe("taking over from HyperShift", () => {
  const takeOver = { finalizers: [hypershiftFinalizer], annotations: { "hubrelay.dev/take-over": "true" } };

  test("When the hosted cluster is paused for good, it should write", async () => {
    const world = await ownWorld(
      aHostedCluster("shop", { metadata: takeOver, spec: { pausedUntil: "true" } }),
    );
    expect((await world.settle("clusters/shop")).decisions).toMatchObject([{ verdict: "unchanged" }]);
    expect(await world.guest.list(kinds.CatalogSource)).toHaveLength(3);
  });

  test("When HyperShift still reconciles it, it should refuse, and write Events alone", async () => {
    const world = await ownWorld(aHostedCluster("shop", { metadata: takeOver }));
    const { issues } = await world.deliver("clusters/shop");
    expect(issues).toMatchObject([{ code: "TakeOverRefused" }]);
    expect(await world.hub.list(kinds.ImageStream)).toEqual([]);
    expect(await world.guest.list(kinds.CatalogSource)).toEqual([]);
    expect(world.asked).toEqual([]);
  });
});

describe("catalogs derived from mirrors", () => {
  const derived = { annotations: { "hubrelay.dev/olm-catalogs": "from-mirrors" } };
  const mirrors = [aDigestMirrorSet("olm", [{ source: "registry.redhat.io/redhat", mirrors: [olmMirror] }])];
  const annotationsOf = async ({ hub }: World) =>
    (await hub.get(kinds.HostedCluster, "shop", "clusters"))?.metadata.annotations ?? {};
  const fill = ({ tags }: World, digit: number, tag = "v4.20") => {
    for (const [image, digest] of Object.entries(catalogTags(olmMirror, tag, digit))) tags.set(image, digest);
  };
  const types = ({ outcomes }: World) =>
    outcomes.map(({ type }) => type.replace("dev.hubrelay.hosted-clusters.", ""));

  test("When the mirror is refreshed, it should change all annotations at once, and tell before and after", async () => {
    const world = await ownWorld(aHostedCluster("shop", { metadata: derived }), mirrors);
    fill(world, 1);
    await world.settle("clusters/shop");
    expect(await annotationsOf(world)).toMatchObject({
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides": `registry.redhat.io/redhat=${olmMirror}`,
      "hypershift.openshift.io/redhat-operators-catalog-image": `${olmMirror}/redhat-operator-index@sha256:${"12".repeat(32)}`,
    });
    const before = types(world).length;
    fill(world, 2);
    await world.settle("clusters/shop");
    expect(
      types(world)
        .slice(before)
        .filter((type) => type.startsWith("chang")),
    ).toEqual(["changing", "changed"]);
    const changed = world.outcomes.find(({ type }, index) => index >= before && type.endsWith(".changing"));
    expect(Object(changed?.data.from).catalogs).toMatchObject({
      "hypershift.openshift.io/redhat-operators-catalog-image": expect.stringContaining("12".repeat(32)),
    });
    expect((await world.settle("clusters/shop")).actions).toEqual([]);
    expect(
      types(world)
        .slice(before)
        .filter((type) => type === "changed"),
    ).toHaveLength(1);
  });

  test.for([
    [
      "one catalog is missing",
      (world: World) => {
        for (const tag of ["v4.20", "v4.19", "v4.18", "v4.17"])
          world.tags.delete(`${olmMirror}/community-operator-index:${tag}`);
      },
    ],
    ["the mirror fails", ({ failing }: World) => failing.add("mirror.corp.example:5000")],
  ] as const)("When %s after a refresh, it should leave the whole set as it was", async ([, trouble]) => {
    const world = await ownWorld(aHostedCluster("shop", { metadata: derived }), mirrors);
    fill(world, 1);
    await world.settle("clusters/shop");
    const before = await annotationsOf(world);
    fill(world, 2);
    trouble(world);
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound" }]);
    expect(await annotationsOf(world)).toEqual(before);
  });

  test("When the mirror is behind the release, it should take what it has, and say so", async () => {
    const world = await ownWorld(aHostedCluster("shop", { metadata: derived }), mirrors);
    fill(world, 1, "v4.19");
    const { issues } = await world.settle("clusters/shop");
    expect(issues.map(({ code }) => code)).toEqual(Array(3).fill("OlderCatalog"));
    expect(Object.keys(await annotationsOf(world))).toHaveLength(6);
  });

  test("When no mirror has anything to do with catalogs, it should ask nobody and say so", async () => {
    const world = await ownWorld(aHostedCluster("shop", { metadata: derived }), []);
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "CatalogsNotFound" }]);
    expect(world.asked).toEqual([]);
  });
});

describe("content sources derived from mirrors", () => {
  const mirrors = [
    aDigestMirrorSet("ocp", sources),
    aDigestMirrorSet("apps", [{ source: "quay.io/acme", mirrors: ["mirror.corp.example:5000/acme"] }]),
  ];
  const derived = (choice: string) =>
    aHostedCluster("shop", { metadata: { annotations: { "hubrelay.dev/image-content-sources": choice } } });

  test.for([
    ["release", sources],
    ["all", [{ source: "quay.io/acme", mirrors: ["mirror.corp.example:5000/acme"] }, ...sources]],
  ] as const)(
    "When a person asks for %s, it should write those, tell what it costs, and carry them to the nodes",
    async ([choice, wanted]) => {
      const world = await ownWorld(derived(choice), mirrors);
      await world.settle("clusters/shop");
      const hostedCluster = await world.hub.get(kinds.HostedCluster, "shop", "clusters");
      expect(Object(hostedCluster?.spec).imageContentSources).toEqual(wanted);
      expect((await world.guest.get(kinds.ImageDigestMirrorSet, "cluster"))?.spec).toEqual({
        imageDigestMirrors: wanted,
      });
      expect(world.outcomes.find(({ type }) => type.endsWith(".changing"))?.data.consequence).toMatch(
        /every node/,
      );
    },
  );

  test("When the annotation means nothing, it should say so and leave the field alone", async () => {
    const world = await ownWorld(derived("everything"), mirrors);
    const { issues } = await world.settle("clusters/shop");
    expect(issues).toMatchObject([{ code: "InvalidAnnotation", severity: "error" }]);
    expect(
      Object((await world.hub.get(kinds.HostedCluster, "shop", "clusters"))?.spec).imageContentSources,
    ).toBeUndefined();
  });
});
