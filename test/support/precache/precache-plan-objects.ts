import type { KubernetesObject, ObjectMeta } from "#shared/domain/kubernetes/object.ts";

type Fields = Readonly<Record<string, unknown>>;

function object(apiVersion: string, kind: string, metadata: ObjectMeta, rest: Fields = {}): KubernetesObject {
  const identity = [kind, metadata.namespace, metadata.name].filter(Boolean).join("-");
  return {
    apiVersion,
    kind,
    metadata: { uid: `uid-of-${identity}`, resourceVersion: "1", generation: 1, ...metadata },
    ...rest,
  };
}

/** A ClusterGroupUpgrade that requests pre-caching, in namespace `ztp`. */
export const anUpgrade = (spec: Fields = {}, metadata: Partial<ObjectMeta> = {}): KubernetesObject =>
  object(
    "ran.openshift.io/v1alpha1",
    "ClusterGroupUpgrade",
    { name: "upgrade", namespace: "ztp", creationTimestamp: "2026-03-01T02:00:00Z", ...metadata },
    {
      spec: {
        clusters: ["sno1", "sno2"],
        managedPolicies: ["platform"],
        preCaching: true,
        enable: false,
        remediationStrategy: { maxConcurrency: 10, timeout: 240 },
        ...spec,
      },
    },
  );

export const aPreCachingConfig = (spec: Fields, metadata: Partial<ObjectMeta> = {}): KubernetesObject =>
  object(
    "ran.openshift.io/v1alpha1",
    "PreCachingConfig",
    { name: "config", namespace: "ztp", ...metadata },
    { spec },
  );

export const anOverridesConfigMap = (data: Readonly<Record<string, string>>): KubernetesObject =>
  object("v1", "ConfigMap", { name: "cluster-group-upgrade-overrides", namespace: "ztp" }, { data });

/** A single-node cluster, unless its topology differs. */
export const aManagedCluster = (
  name: string,
  {
    version = "4.19.4",
    topology = "SingleReplica",
    labels = {},
  }: Readonly<{ version?: string; topology?: string; labels?: Readonly<Record<string, string>> }> = {},
): KubernetesObject =>
  object(
    "cluster.open-cluster-management.io/v1",
    "ManagedCluster",
    { name, labels: { name, vendor: "OpenShift", ...labels } },
    {
      spec: { hubAcceptsClient: true },
      status: {
        clusterClaims: [
          { name: "controlplanetopology.openshift.io", value: topology },
          { name: "version.openshift.io", value: version },
        ],
      },
    },
  );

/** An ImageBasedGroupUpgrade in namespace `ztp`. */
export const anImageBasedUpgrade = (
  spec: object,
  status: object = {},
  metadata: object = {},
): KubernetesObject =>
  object(
    "lcm.openshift.io/v1alpha1",
    "ImageBasedGroupUpgrade",
    { name: "ibgu", namespace: "ztp", ...metadata },
    { spec, status },
  );

/** What RHACM knows about a managed cluster with this number of nodes. */
export const aClusterInfo = (cluster: string, nodes: number): KubernetesObject =>
  object(
    "internal.open-cluster-management.io/v1beta1",
    "ManagedClusterInfo",
    { name: cluster, namespace: cluster },
    { status: { nodeList: Array.from({ length: nodes }, (_, index) => ({ name: `node${index}` })) } },
  );

const template = (objectTemplates: Fields): Fields => ({
  objectDefinition: {
    apiVersion: "policy.open-cluster-management.io/v1",
    kind: "ConfigurationPolicy",
    metadata: { name: "config" },
    spec: { remediationAction: "inform", ...objectTemplates },
  },
});

type Compliance = Readonly<Record<string, string | undefined>>;

/** A root policy in namespace `policies` with these objects, and the compliance of clusters with it. */
export const aPolicy = (
  name: string,
  objects: readonly Fields[],
  compliance: Compliance = { sno1: "NonCompliant", sno2: "NonCompliant" },
  {
    namespace = "policies",
    raw,
    ...spec
  }: Readonly<{ namespace?: string; raw?: string; [field: string]: unknown }> = {},
): KubernetesObject =>
  object(
    "policy.open-cluster-management.io/v1",
    "Policy",
    { name, namespace },
    {
      spec: {
        disabled: false,
        remediationAction: "inform",
        "policy-templates": [
          template(
            raw === undefined
              ? {
                  "object-templates": objects.map((objectDefinition) => ({
                    complianceType: "musthave",
                    objectDefinition,
                  })),
                }
              : { "object-templates-raw": raw },
          ),
        ],
        ...spec,
      },
      status: {
        status: Object.entries(compliance).map(([clustername, compliant]) => ({
          clustername,
          clusternamespace: clustername,
          ...(compliant === undefined ? {} : { compliant }),
        })),
      },
    },
  );

/** The copies of a root policy in the clusters' namespaces, as the propagator creates them. */
export const copiesOf = (policy: KubernetesObject, clusters: readonly string[]): KubernetesObject[] =>
  clusters.map((namespace) => {
    const name = `${policy.metadata.namespace}.${policy.metadata.name}`;
    return object(
      policy.apiVersion,
      policy.kind,
      { name, namespace, labels: { "policy.open-cluster-management.io/root-policy": name } },
      { spec: policy.spec },
    );
  });

export const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
export const releaseImage = `quay.io/openshift-release-dev/ocp-release@${digestOf("a")}`;

/** A ClusterVersion inside a policy; without fields it names the release image. */
export const aWantedRelease = (
  spec: Fields = { desiredUpdate: { version: "4.20.3", image: releaseImage } },
): Fields => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  spec,
});

export const aCatalogSource = (image: string | undefined): Fields => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "CatalogSource",
  metadata: { name: "redhat-operators", namespace: "openshift-marketplace" },
  spec: { sourceType: "grpc", ...(image === undefined ? {} : { image }) },
});

export const aSubscription = (
  name: string,
  channel?: string,
  apiVersion = "operators.coreos.com/v1alpha1",
): Fields => ({
  apiVersion,
  kind: "Subscription",
  metadata: { name, namespace: `openshift-${name}` },
  spec: { name, source: "redhat-operators", ...(channel === undefined ? {} : { channel }) },
});
