import { type KubernetesObject, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { validHostedClusterSpec } from "../../../support/hosted-clusters/hostile-changes.ts";

/** The namespace of the control plane of the hosted cluster `clusters/shop`. */
export const controlPlaneNamespace = "clusters-shop";
export const releaseRepository = "quay.io/openshift-release-dev/ocp-release";
const registryHost = "image-registry.openshift-image-registry.svc:5000";

export const object = (
  { apiVersion, kind }: Readonly<{ apiVersion: string; kind: string }>,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
  metadata: Partial<ObjectMeta> = {},
): KubernetesObject => ({ ...more, apiVersion, kind, metadata: { name, ...metadata } });

const namespace = controlPlaneNamespace;
const { services, platform, etcd } = validHostedClusterSpec;
export const capabilities = { disabled: ["ImageRegistry", "Ingress", "Console"] };

export const hostedControlPlane = object(
  kinds.HostedControlPlane,
  "shop",
  {
    spec: {
      dns: { baseDomain: "example.com" },
      etcd,
      infraID: "shop",
      issuerURL: "https://kubernetes.default.svc",
      platform,
      pullSecret: { name: "pull-secret" },
      releaseImage: `${releaseRepository}:4.20.4-multi`,
      services,
      sshKey: {},
      // Immutable.
      capabilities,
    },
  },
  { namespace },
);

export const controlPlaneOperator = object(
  kinds.Deployment,
  "control-plane-operator",
  {
    spec: {
      selector: { matchLabels: { app: "operator" } },
      template: {
        metadata: { labels: { app: "operator" } },
        spec: { containers: [{ name: "operator", image: "quay.io/x:1", env: [{ name: "A", value: "b" }] }] },
      },
    },
  },
  { namespace },
);

/** The ConfigMaps with settings that depend on capabilities, as HyperShift leaves them. */
export const controlPlaneSettings = [
  [
    "kas-config",
    "config.json",
    { kind: "KubeAPIServerConfig", imagePolicyConfig: { internalRegistryHostname: registryHost } },
  ],
  ["openshift-apiserver", "config.yaml", { imagePolicyConfig: { internalRegistryHostname: registryHost } }],
  [
    "openshift-controller-manager-config",
    "config.yaml",
    { controllers: null, dockerPullSecret: { internalRegistryHostname: registryHost } },
  ],
].map(([name, file, content]) =>
  object(kinds.ConfigMap, String(name), { data: { [String(file)]: JSON.stringify(content) } }, { namespace }),
);

const digest = "a".repeat(64);

/** The fields that the API requires of a status besides the release. */
const required = { observedGeneration: 1, versionHash: "hash", availableUpdates: null, history: [] };

/** Creates the cluster's ClusterVersion as its operator leaves it: the status contains the release. */
export async function createClusterVersion(
  hub: Hub,
  desired = { version: "4.20.3", image: `quay.io/openshift-release-dev/ocp-release@sha256:${digest}` },
): Promise<KubernetesObject> {
  const { apiVersion, kind } = kinds.ClusterVersion;
  const spec = { clusterID: "5f1c7a52-6d0e-4c7f-9b0a-6f6f7a1f2f10", channel: "stable-4.20" };
  const created = await hub.create({ apiVersion, kind, metadata: { name: "version" }, spec });
  return hub.updateStatus({ ...created, status: { ...required, desired } });
}
