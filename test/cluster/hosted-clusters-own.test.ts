import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { guestHubs } from "#shared/adapters/hub/guests/guest-hubs.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import {
  catalogNamespace,
  catalogSources,
} from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { paths } from "../../infra/paths.ts";
import { secret } from "../support/hosted-clusters/hosted-cluster-hub.ts";
import { validHostedClusterSpec } from "../support/hosted-clusters/hostile-changes.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { aGuestCluster, startCluster, type TestCluster, type TestHub } from "./support/clusters/cluster.ts";
import { hubAccounts } from "./support/clusters/service-account.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import {
  capabilities,
  controlPlaneNamespace,
  controlPlaneOperator,
  controlPlaneSettings,
  createClusterVersion,
  hostedControlPlane,
  object,
  releaseRepository,
} from "./support/manifests/control-plane.ts";
import { hubCrds, installCrds, looseCrd } from "./support/manifests/crds.ts";
import { base64Of } from "./support/servers/certificates.ts";

const key = "clusters/shop";
const namespace = controlPlaneNamespace;
const operatorUser = "system:hosted-cluster-config";
const release = releaseRepository;
const sources = [{ source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] }];
const digestOf = (image: string) => `sha256:${Buffer.from(image).toString("hex").padEnd(64, "0").slice(-64)}`;
const aNamespace = (name: string) => object({ apiVersion: "v1", kind: "Namespace" }, name);

/** What HyperShift leaves in a guest: only its own operator changes these kinds. */
const guardOf = (
  name: string,
  resources: readonly string[],
  operations: readonly string[],
): readonly KubernetesObject[] => {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const rule = { apiGroups: ["config.openshift.io"], apiVersions: ["v1"], operations, resources, scope: "*" };
  const expression = `request.userInfo.username in ['${operatorUser}'] || (has(object.spec) && has(oldObject.spec) && object.spec == oldObject.spec)`;
  return [
    object({ apiVersion, kind: "ValidatingAdmissionPolicy" }, name, {
      spec: {
        matchConstraints: { matchPolicy: "Equivalent", resourceRules: [rule] },
        validations: [{ expression, message: "This resource cannot be changed.", reason: "Invalid" }],
      },
    }),
    object({ apiVersion, kind: "ValidatingAdmissionPolicyBinding" }, `${name}-binding`, {
      spec: { policyName: name, validationActions: ["Deny"] },
    }),
  ];
};

describe("a hosted cluster that hubrelay owns, on a real hub and a real guest, with only its own permissions", () => {
  let server: TestHub;
  let guestServer: TestCluster;
  let person: KubernetesHub;
  let hub: KubernetesHub;
  let guest: KubernetesHub;
  const guests = guestHubs({ requestTimeoutMs: 5_000 });

  const portsOf = (api: Hub) => ({
    ...quietPorts(api),
    external: {
      ...noExternalPorts,
      guests,
      registry: { ...noExternalPorts.registry, digest: async (image: string) => digestOf(image) },
    },
    queueNamed: () => {
      throw new Error("nothing is sent here");
    },
  });

  /** Reconciles until it writes nothing more. */
  async function settle(): Promise<Plan> {
    for (let round = 0; round < 20; round++) {
      const { plan } = await reconcile(hostedClusters, key, portsOf(hub));
      if (plan.actions.length === 0) return plan;
    }
    throw new Error(`${key} does not settle`);
  }

  const fileOf = async (name: string, file: string) =>
    parse(Object((await person.get(kinds.ConfigMap, name, namespace))?.data)[file]);
  const catalogs = async () =>
    (await guest.list(kinds.CatalogSource, { namespace: "openshift-marketplace" })).map(
      ({ metadata, spec }) => [metadata.name, Object(spec).address ?? Object(spec).image],
    );
  const environment = async () => {
    const deployment = await person.get(kinds.Deployment, "control-plane-operator", namespace);
    return Object(deployment?.spec).template.spec.containers[0].env;
  };

  beforeAll(async () => {
    [server, guestServer] = await Promise.all([startCluster({ crds: await hubCrds() }), aGuestCluster()]);
    // A management cluster that has ImageStreams. They have no CRD, since an aggregated API server serves them; a
    // stand-in CRD makes the API server register the group, as that server's APIService does.
    await installCrds(server.api, [looseCrd(kinds.ImageStream)]);
    person = kubernetesHub(server.admin.kubeConfig);
    guest = kubernetesHub(guestServer.admin.kubeConfig);
    for (const name of ["clusters", namespace]) await createManifest(server.api, aNamespace(name));

    // The guest as HyperShift's operators leave it.
    await createManifest(guestServer.api, aNamespace("openshift-marketplace"));
    await createClusterVersion(guest);
    const rbac = "rbac.authorization.k8s.io/v1";
    await createManifest(
      guestServer.api,
      object({ apiVersion: rbac, kind: "ClusterRoleBinding" }, "hcco-cluster-admin", {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: operatorUser }],
      }),
    );
    for (const one of [
      ...guardOf("mirror", ["imagedigestmirrorsets", "imagetagmirrorsets", "operatorhubs"], ["*"]),
      ...guardOf("config", ["proxies", "ingresses", "operatorhubs"], ["UPDATE", "DELETE"]),
    ])
      await createManifest(guestServer.api, one);

    // The control plane.
    const user = await guestServer.certified(operatorUser, ["kubernetes"]);
    const inline = {
      "client-certificate-data": await base64Of(String(user["client-certificate"])),
      "client-key-data": await base64Of(String(user["client-key"])),
    };
    const { kubeConfigFile } = await guestServer.userAccess("hcco", inline);
    const texts = [guestServer.admin.kubeConfigFile, kubeConfigFile].map((file) => readFile(file, "utf8"));
    const [admin = "", hcco = ""] = await Promise.all(texts);
    const objects = [
      secret(namespace, "admin-kubeconfig", { kubeconfig: admin }),
      // HyperShift's kubeconfig has an address that is valid only inside the control plane's namespace.
      secret(namespace, "hcco-kubeconfig", {
        kubeconfig: hcco.replace(/https:[^"]*/, "https://kube-apiserver:6443"),
      }),
      secret(namespace, "pull-secret", { ".dockerconfigjson": "{}" }),
      controlPlaneOperator,
      ...controlPlaneSettings,
      asNew(aDigestMirrorSet("ocp", [{ source: release, mirrors: ["mirror.example.com/release"] }])),
      asNew(aDigestMirrorSet("other", [{ source: "docker.io", mirrors: ["mirror.example.com/hub"] }])),
      object(
        kinds.HostedCluster,
        "shop",
        {
          spec: {
            ...validHostedClusterSpec,
            imageContentSources: sources,
            capabilities,
          },
        },
        { namespace: "clusters", annotations: { "hubrelay.dev/take-over": "true" } },
      ),
    ];
    for (const one of objects) await person.create(one);

    // hubrelay with its roles and admission policies.
    const userAccessOf = await hubAccounts(server);
    const folder = join(paths.root, "infra/kubernetes/components/own-hosted-clusters");
    for (const file of ["role.yaml", "guard.yaml"])
      for (const document of parseAllDocuments(await readFile(join(folder, file), "utf8"))) {
        const manifest = tryParseManifestObject(document.toJS());
        if (!manifest) throw new Error(`${file} holds what is not an object`);
        await createManifest(server.api, manifest);
      }
    const name = "hubrelay-hosted-clusters-control-plane";
    await createManifest(
      server.api,
      object(
        { apiVersion: rbac, kind: "RoleBinding" },
        name,
        {
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
          subjects: [{ kind: "ServiceAccount", name: "hubrelay-hosted-clusters", namespace: "hubrelay" }],
        },
        { namespace },
      ),
    );
    hub = kubernetesHub((await userAccessOf("hubrelay-hosted-clusters")).kubeConfig);
    // The API servers apply roles and policies shortly after they are stored.
    for (let patience = 100; patience > 0; patience--) {
      try {
        await hub.get(kinds.Secret, "admin-kubeconfig", namespace);
        await hub.create(object(kinds.ConfigMap, `not-hubrelay-s-${patience}`, {}, { namespace }));
      } catch (error) {
        if (error instanceof HubError && error.message.includes("hubrelay creates")) break;
        if (!(error instanceof HubError)) throw error;
      }
      await sleep(100);
    }
  }, 240_000);
  afterAll(async () => {
    guests.close();
    for (const one of [person, hub, guest]) one?.close();
    await Promise.all([server?.stop(), guestServer?.stop()]);
  });

  test("When the control plane does not exist yet, it should write the guest and defer the rest", async () => {
    const { decisions } = await settle();
    expect(decisions[0]).toMatchObject({ verdict: "waiting" });
    expect(decisions[0]?.reason).toContain("its HostedControlPlane does not exist");
    expect(await person.list(kinds.ImageStream)).toEqual([]);
  });

  test("When the control plane exists, it should write everything that hubrelay owns, and then nothing more", async () => {
    const owner = await person.create(hostedControlPlane);
    const { decisions } = await settle();
    expect(decisions[0]).toMatchObject({ verdict: "unchanged" });

    const copied = await person.get(kinds.HostedControlPlane, "shop", namespace);
    expect(copied?.spec).toMatchObject({
      imageContentSources: sources,
      capabilities,
      olmCatalogPlacement: "management",
    });
    expect(await environment()).toEqual([
      { name: "A", value: "b" },
      { name: "OPENSHIFT_IMG_OVERRIDES", value: `${release}=mirror.example.com/release` },
    ]);

    const stream = await person.get(kinds.ImageStream, "catalogs", namespace);
    expect(stream?.metadata.ownerReferences).toMatchObject([{ uid: owner.metadata.uid }]);
    expect(Object(stream?.spec).tags.map(({ from }: { from: { name: string } }) => from.name)).toEqual(
      knownCatalogs.map(({ repository }) => `registry.redhat.io/redhat/${repository}:v4.20`),
    );
    const ignition = await person.get(kinds.ConfigMap, "ignition-config-40-image-content-source", namespace);
    expect(ignition?.metadata.labels).toEqual({ "hypershift.openshift.io/core-ignition-config": "true" });

    expect(await fileOf("kas-config", "config.json")).toEqual({
      kind: "KubeAPIServerConfig",
      imagePolicyConfig: {},
    });
    expect(await fileOf("openshift-apiserver", "config.yaml")).toEqual({ imagePolicyConfig: {} });
    expect(await fileOf("openshift-controller-manager-config", "config.yaml")).toEqual({
      controllers: ["*", "-openshift.io/serviceaccount-pull-secrets"],
      dockerPullSecret: {},
    });

    const mirrorSet = await guest.get(kinds.ImageDigestMirrorSet, "cluster");
    expect(mirrorSet?.spec).toEqual({ imageDigestMirrors: sources });
    expect(parse(Object(ignition?.data).config)).toMatchObject({ spec: mirrorSet?.spec });
    expect((await guest.get(kinds.OperatorHub, "cluster"))?.spec).toEqual({});
    expect(await catalogs()).toEqual(knownCatalogs.map(({ name }) => [name, `${name}:50051`]));
    const version = await guest.get(kinds.ClusterVersion, "version");
    const { additionalEnabledCapabilities } = Object(version?.spec).capabilities;
    expect(additionalEnabledCapabilities).toContain("Insights");
    for (const name of ["ImageRegistry", "Ingress", "Console"])
      expect(additionalEnabledCapabilities).not.toContain(name);
  });

  test("When OLM's own CRD accepts the catalogs of either placement, it should keep every field", async () => {
    const images = knownCatalogs.map(({ name }) => ({
      name,
      image: `registry.redhat.io/redhat/${name}:v4.20`,
    }));
    const specsIn = async (place: string) =>
      Object.fromEntries(
        (await guest.list(kinds.CatalogSource, { namespace: place })).map(({ metadata, spec }) => [
          metadata.name,
          spec,
        ]),
      );
    const specsOf = (sources: readonly KubernetesObject[]) =>
      Object.fromEntries(sources.map(({ metadata, spec }) => [metadata.name, spec]));

    // hubrelay has written these, and a placement is immutable: the other placement only tests the schema.
    expect(await specsIn(catalogNamespace)).toEqual(specsOf(catalogSources("management", images)));
    const elsewhere = "default";
    const ofGuest = catalogSources("guest", images);
    for (const source of ofGuest)
      await guest.create({ ...source, metadata: { ...source.metadata, namespace: elsewhere } });
    expect(await specsIn(elsewhere)).toEqual(specsOf(ofGuest));

    const [source] = ofGuest;
    if (!source) throw new Error("there are default catalogs");
    const wrong = { ...Object(source.spec), grpcPodConfig: { securityContextConfig: "strict" } };
    await expect(
      guest.create({ ...source, metadata: { name: "wrong", namespace: elsewhere }, spec: wrong }),
    ).rejects.toMatchObject({ message: expect.stringContaining("securityContextConfig") });
  });

  test("When a client with the account creates another ConfigMap, it should be refused", async () => {
    for (const name of ["ignition-config-50-mine", "ignition-config-40-image-content-source"])
      await expect(hub.create(object(kinds.ConfigMap, name, {}, { namespace }))).rejects.toMatchObject({
        message: expect.stringMatching(/hubrelay creates only the ConfigMap|must have a HostedControlPlane/),
      });
  });
});
