import { type KubernetesObject, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
import { anObject, stored } from "../hub/objects.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A ClusterGroupUpgrade that requests pre-caching, in namespace `ztp`. */
export function anUpgrade(spec: Fields = {}, metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const usual = { name: "upgrade", namespace: "ztp", creationTimestamp: "2026-03-01T02:00:00Z" };
  const remediationStrategy = { maxConcurrency: 10, timeout: 240 };
  const wanted = {
    clusters: ["sno1", "sno2"],
    managedPolicies: ["platform"],
    preCaching: true,
    enable: false,
  };
  const fields = { spec: { ...wanted, remediationStrategy, ...spec } };
  return stored(kinds.ClusterGroupUpgrade, { ...usual, ...metadata }, fields);
}

export const aPreCachingConfig = (spec: Fields, metadata: Partial<ObjectMeta> = {}): KubernetesObject =>
  stored(kinds.PreCachingConfig, { name: "config", namespace: "ztp", ...metadata }, { spec });

export const anOverridesConfigMap = (data: Readonly<Record<string, string>>): KubernetesObject =>
  stored(kinds.ConfigMap, { name: "cluster-group-upgrade-overrides", namespace: "ztp" }, { data });

/** A single-node cluster, unless its topology differs. */
export function aManagedCluster(
  name: string,
  {
    version = "4.19.4",
    topology = "SingleReplica",
    labels = {},
  }: Readonly<{ version?: string; topology?: string; labels?: Readonly<Record<string, string>> }> = {},
): KubernetesObject {
  const clusterClaims = [
    { name: "controlplanetopology.openshift.io", value: topology },
    { name: "version.openshift.io", value: version },
  ];
  const metadata = { name, labels: { name, vendor: "OpenShift", ...labels } };
  return stored(kinds.ManagedCluster, metadata, {
    spec: { hubAcceptsClient: true },
    status: { clusterClaims },
  });
}

/** An ImageBasedGroupUpgrade in namespace `ztp`. */
export const anImageBasedUpgrade = (
  spec: object,
  status: object = {},
  metadata: object = {},
): KubernetesObject =>
  stored(kinds.ImageBasedGroupUpgrade, { name: "ibgu", namespace: "ztp", ...metadata }, { spec, status });

/** What RHACM knows about a managed cluster with this number of nodes. */
export function aClusterInfo(cluster: string, nodes: number): KubernetesObject {
  const nodeList = Array.from({ length: nodes }, (_, index) => ({ name: `node${index}` }));
  return stored(kinds.ManagedClusterInfo, { name: cluster, namespace: cluster }, { status: { nodeList } });
}

type Compliance = Readonly<Record<string, string | undefined>>;

/** A root policy in namespace `policies` with these objects, and the compliance of clusters with it. */
export function aPolicy(
  name: string,
  objects: readonly Fields[],
  compliance: Compliance = { sno1: "NonCompliant", sno2: "NonCompliant" },
  {
    namespace = "policies",
    raw,
    ...spec
  }: Readonly<{ namespace?: string; raw?: string; [field: string]: unknown }> = {},
): KubernetesObject {
  const items = objects.map((objectDefinition) => ({ complianceType: "musthave", objectDefinition }));
  const templates = raw === undefined ? { "object-templates": items } : { "object-templates-raw": raw };
  const objectDefinition = {
    ...{ apiVersion: kinds.Policy.apiVersion, kind: "ConfigurationPolicy", metadata: { name: "config" } },
    spec: { remediationAction: "inform", ...templates },
  };
  const usual = { disabled: false, remediationAction: "inform", "policy-templates": [{ objectDefinition }] };
  const status = Object.entries(compliance).map(([clustername, compliant]) => ({
    ...{ clustername, clusternamespace: clustername },
    ...(compliant === undefined ? {} : { compliant }),
  }));
  return stored(kinds.Policy, { name, namespace }, { spec: { ...usual, ...spec }, status: { status } });
}

/** The copies of a root policy in the clusters' namespaces, as the propagator creates them. */
export const copiesOf = (policy: KubernetesObject, clusters: readonly string[]): KubernetesObject[] =>
  clusters.map((namespace) => {
    const name = `${policy.metadata.namespace}.${policy.metadata.name}`;
    const labels = { "policy.open-cluster-management.io/root-policy": name };
    return stored(policy, { name, namespace, labels }, { spec: policy.spec });
  });

export const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
export const releaseImage = `quay.io/openshift-release-dev/ocp-release@${digestOf("a")}`;

/** A ClusterVersion inside a policy; without fields it names the release image. */
export const aWantedRelease = (
  spec: Fields = { desiredUpdate: { version: "4.20.3", image: releaseImage } },
): Fields => anObject(kinds.ClusterVersion, { name: "version" }, { spec });

export function aCatalogSource(image: string | undefined): Fields {
  const spec = { sourceType: "grpc", ...(image === undefined ? {} : { image }) };
  const metadata = { name: "redhat-operators", namespace: "openshift-marketplace" };
  return anObject(kinds.CatalogSource, metadata, { spec });
}

export function aSubscription(
  name: string,
  channel?: string,
  apiVersion = kinds.CatalogSource.apiVersion,
): Fields {
  const spec = { name, source: "redhat-operators", ...(channel === undefined ? {} : { channel }) };
  return anObject({ apiVersion, kind: "Subscription" }, { name, namespace: `openshift-${name}` }, { spec });
}
