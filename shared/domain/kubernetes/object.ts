import { printable, printableValue } from "../text/redact.ts";
import { byCodeUnit, fieldsOf, ownValue } from "./json/values.ts";

/** The part of a Kubernetes owner reference that hubrelay reads and writes. */
export type OwnerReference = Readonly<{ apiVersion: string; kind: string; name: string; uid: string }>;

/** The metadata that hubrelay reads. All other metadata of an object is kept unchanged. */
export type ObjectMeta = Readonly<{
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  ownerReferences?: readonly OwnerReference[];
  finalizers?: readonly string[];
}>;

/** Any object of the Kubernetes API. Its identity is typed, its content (`spec`, `status`, …) is not. */
export type KubernetesObject = Readonly<{
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}>;

/**
 * A reference to one object. `uid` and `resourceVersion` are those of the object that was read; both are absent if the
 * sender does not know them (Knative's reference mode). If the object is about several managed clusters, `cluster` is
 * the one that is meant.
 */
export type ObjectReference = Readonly<{
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
  cluster?: string;
}>;

/** Returns a reference to this version of an object. */
export function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Returns the namespace of an object. Without a namespace it is `default`, as on an API server. */
export function namespaceOf({ metadata }: Pick<KubernetesObject, "metadata">): string {
  return metadata.namespace || "default";
}

/** Returns `namespace/name`, for use as a key. The namespace is empty if there is none. */
export function namespacedName({ namespace = "", name }: Pick<ObjectMeta, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

/** Parses a key that `namespacedName` returned. */
export function parseNamespacedName(key: string): Readonly<{ namespace: string; name: string }> {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}

/** Compares objects by namespace, then by name. */
export function byNamespaceAndName(
  { metadata: a }: KubernetesObject,
  { metadata: b }: KubernetesObject,
): number {
  return byCodeUnit(a.namespace ?? "", b.namespace ?? "") || byCodeUnit(a.name, b.name);
}

/** Returns `Kind/name` or `Kind/namespace/name` for messages and logs, without credentials; for a file, its path. */
export function displayName({
  kind,
  namespace,
  name,
}: Pick<ObjectReference, "kind" | "namespace" | "name">): string {
  if (kind === "File") return printable(name);
  return [kind, namespace ?? "", name].filter(Boolean).map(printableValue).join("/");
}

/** Returns the first of these objects that has the annotation, and the annotation's value. */
export function firstAnnotated(
  objects: readonly KubernetesObject[],
  annotation: string,
): Readonly<{ object: KubernetesObject; value: string }> | undefined {
  for (const object of objects) {
    const value = ownValue(object.metadata.annotations, annotation);
    if (value !== undefined) return { object, value };
  }
  return undefined;
}

/** Returns the object without `managedFields`, often the larger part of its metadata. */
export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata }: ObjectMeta & Readonly<Record<string, unknown>> = object.metadata;
  return { ...object, metadata };
}

/** Returns the object with the annotation set to this value. */
export function withAnnotation(object: KubernetesObject, name: string, value: string): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [name]: value };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Returns the decoded text of a Secret's base64 field; undefined without the Secret or the field. */
export function secretText(secret: KubernetesObject | undefined, field: string): string | undefined {
  const value = ownValue(fieldsOf(secret?.data), field);
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : undefined;
}

/** Formats a time as the Kubernetes API does: RFC 3339 in UTC, whole seconds. */
export function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, -".000Z".length)}Z`;
}

/** One kind of the API, with the parts of its path (`/apis/GROUP/VERSION[/namespaces/NS]/PLURAL/NAME`). */
export type Kind = Readonly<{ apiVersion: string; kind: string; plural: string; namespaced: boolean }>;

/** Returns a cluster-scoped kind. Its plural follows apimachinery's UnsafeGuessKindToResource, except for Endpoints. */
export const clusterKind = (apiVersion: string, kind: string): Kind => ({
  apiVersion,
  kind,
  plural: `${kind.toLowerCase()}s`.replace(/ys$/, "ies").replace(/ss$/, "ses"),
  namespaced: false,
});

export const namespacedKind = (apiVersion: string, kind: string): Kind => ({
  ...clusterKind(apiVersion, kind),
  namespaced: true,
});

const config = "config.openshift.io/v1";
const configPreview = "config.openshift.io/v1alpha1";
const operator = "operator.openshift.io/v1alpha1";
const hypershift = "hypershift.openshift.io/v1beta1";
const machineConfiguration = "machineconfiguration.openshift.io/v1";
const machineConfigurationPreview = "machineconfiguration.openshift.io/v1alpha1";
const talm = "ran.openshift.io/v1alpha1";
const hubrelay = "hubrelay.dev/v1alpha1";

/** The kinds that hubrelay reads or writes, except for a few that only one module uses. */
export const kinds = {
  ImageDigestMirrorSet: clusterKind(config, "ImageDigestMirrorSet"),
  ImageTagMirrorSet: clusterKind(config, "ImageTagMirrorSet"),
  ImageContentSourcePolicy: clusterKind(operator, "ImageContentSourcePolicy"),
  ImageSourceDigestPolicy: clusterKind(config, "ImageSourceDigestPolicy"),
  ImageSourceTagPolicy: clusterKind(config, "ImageSourceTagPolicy"),
  OperatorImageSourceDigestPolicy: clusterKind(operator, "ImageSourceDigestPolicy"),
  OperatorImageSourceTagPolicy: clusterKind(operator, "ImageSourceTagPolicy"),
  Image: clusterKind(config, "Image"),
  /** Lets nodes pull from mirrors with the pull secrets of a pod's namespace. v1alpha1 is a preview of v1. */
  CRIOCredentialProviderConfig: clusterKind(config, "CRIOCredentialProviderConfig"),
  CRIOCredentialProviderConfigV1alpha1: clusterKind(configPreview, "CRIOCredentialProviderConfig"),
  Proxy: clusterKind(config, "Proxy"),
  ClusterImagePolicy: clusterKind(config, "ClusterImagePolicy"),
  ImagePolicy: namespacedKind(config, "ImagePolicy"),
  /** The only version of ClusterImagePolicy that OpenShift up to 4.19 serves. */
  ClusterImagePolicyV1alpha1: clusterKind(configPreview, "ClusterImagePolicy"),
  ImagePolicyV1alpha1: namespacedKind(configPreview, "ImagePolicy"),
  ClusterVersion: clusterKind(config, "ClusterVersion"),
  FeatureGate: clusterKind(config, "FeatureGate"),
  Infrastructure: clusterKind(config, "Infrastructure"),
  MachineConfiguration: clusterKind("operator.openshift.io/v1", "MachineConfiguration"),
  MachineConfigPool: clusterKind(machineConfiguration, "MachineConfigPool"),
  MachineConfig: clusterKind(machineConfiguration, "MachineConfig"),
  /** Makes the nodes of a pool boot an image that the cluster builds. v1alpha1 was a preview of v1. */
  MachineOSConfig: clusterKind(machineConfiguration, "MachineOSConfig"),
  MachineOSConfigV1alpha1: clusterKind(machineConfigurationPreview, "MachineOSConfig"),
  HostedCluster: namespacedKind(hypershift, "HostedCluster"),
  HostedControlPlane: namespacedKind(hypershift, "HostedControlPlane"),
  NodePool: namespacedKind(hypershift, "NodePool"),
  ClusterGroupUpgrade: namespacedKind(talm, "ClusterGroupUpgrade"),
  /** With this kind, TALM upgrades clusters to a prepared image of a whole node. */
  ImageBasedGroupUpgrade: namespacedKind("lcm.openshift.io/v1alpha1", "ImageBasedGroupUpgrade"),
  PreCachingReport: namespacedKind(hubrelay, "PreCachingReport"),
  ReadinessReport: namespacedKind(hubrelay, "ReadinessReport"),
  PreCachingConfig: namespacedKind(talm, "PreCachingConfig"),
  Policy: namespacedKind("policy.open-cluster-management.io/v1", "Policy"),
  ManagedCluster: clusterKind("cluster.open-cluster-management.io/v1", "ManagedCluster"),
  /** A cluster that GitOps ZTP installs. The hub makes a ManagedCluster for it. SiteConfig is the older kind. */
  ClusterInstance: namespacedKind("siteconfig.open-cluster-management.io/v1alpha1", "ClusterInstance"),
  SiteConfig: namespacedKind("ran.openshift.io/v1", "SiteConfig"),
  /** RHACM's facts about a managed cluster, in the namespace of that cluster. */
  ManagedClusterInfo: namespacedKind("internal.open-cluster-management.io/v1beta1", "ManagedClusterInfo"),
  Placement: namespacedKind("cluster.open-cluster-management.io/v1beta1", "Placement"),
  ManifestWork: namespacedKind("work.open-cluster-management.io/v1", "ManifestWork"),
  /** A template of ManifestWorks. ClusterGroupUpgrades name it in `manifestWorkTemplates`. */
  ManifestWorkReplicaSet: namespacedKind(
    "work.open-cluster-management.io/v1alpha1",
    "ManifestWorkReplicaSet",
  ),
  ConfigMap: namespacedKind("v1", "ConfigMap"),
  MaintenanceWindow: namespacedKind(hubrelay, "MaintenanceWindow"),
  Deployment: namespacedKind("apps/v1", "Deployment"),
  Secret: namespacedKind("v1", "Secret"),
  ImageStream: namespacedKind("image.openshift.io/v1", "ImageStream"),
  /** One version of an API group. The Kubernetes API server may delegate requests for it to another server. */
  APIService: clusterKind("apiregistration.k8s.io/v1", "APIService"),
  CatalogSource: namespacedKind("operators.coreos.com/v1alpha1", "CatalogSource"),
  ClusterCatalog: clusterKind("olm.operatorframework.io/v1", "ClusterCatalog"),
  /** Makes the cluster run a server with a graph of OpenShift's updates. */
  UpdateService: namespacedKind("updateservice.operator.openshift.io/v1", "UpdateService"),
  OperatorHub: clusterKind(config, "OperatorHub"),
  ValidatingAdmissionPolicy: clusterKind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
  Event: namespacedKind("v1", "Event"),
  /** Elects the leader among the pods of hubrelay's forwarder. */
  Lease: namespacedKind("coordination.k8s.io/v1", "Lease"),
  /** hubrelay reads only one pod: the leader among the pods of its forwarder. */
  Pod: namespacedKind("v1", "Pod"),
} as const satisfies Record<string, Kind>;

/** Reports whether the reference or object is of this kind, in this API group and version. */
export function isKind(kind: Kind, object: Readonly<{ apiVersion: string; kind: string }>): boolean {
  return object.kind === kind.kind && object.apiVersion === kind.apiVersion;
}

/** Reports whether an object is of this kind, in any version of its API. */
export function isOfAnyVersion(
  { apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">,
  object: KubernetesObject,
): boolean {
  return object.kind === kind && object.apiVersion.startsWith(apiVersion.replace(/\/.*/, "/"));
}

/** Returns the stored object with the same kind, namespace and name as `object`. The version of its API may differ. */
export function findStored(
  object: KubernetesObject,
  stored: readonly KubernetesObject[],
): KubernetesObject | undefined {
  return stored.find(
    (other) =>
      isOfAnyVersion(object, other) &&
      other.metadata.name === object.metadata.name &&
      namespaceOf(other) === namespaceOf(object),
  );
}

/** Returns a function that reports whether an object is of one of these kinds, in any version of their APIs. */
export const isOneOf =
  (kinds: readonly Kind[]) =>
  (object: KubernetesObject): boolean =>
    kinds.some((kind) => isOfAnyVersion(kind, object));

const kindsByName = Map.groupBy(Object.values<Kind>(kinds), ({ kind }) => kind);

/** Returns the entry of `kinds` for a reference; undefined if there is none. */
export function kindOf(reference: Readonly<{ apiVersion: string; kind: string }>): Kind | undefined {
  return kindsByName.get(reference.kind)?.find((kind) => isKind(kind, reference));
}

/** Returns the object's API path, such as `/apis/config.openshift.io/v1/imagedigestmirrorsets/acme`. */
export function apiPath(
  kind: Kind,
  { namespace, name }: Pick<ObjectReference, "namespace" | "name">,
): string {
  const root = kind.apiVersion.includes("/") ? "/apis" : "/api";
  const inNamespace = kind.namespaced && namespace ? `/namespaces/${namespace}` : "";
  return `${root}/${kind.apiVersion}${inNamespace}/${kind.plural}/${name}`;
}
