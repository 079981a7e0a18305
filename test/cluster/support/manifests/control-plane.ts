import { type KubernetesObject, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
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
