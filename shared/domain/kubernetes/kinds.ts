import type { ObjectReference } from "./object.ts";

/** One kind of the API, with the parts of its path (`/apis/GROUP/VERSION[/namespaces/NS]/PLURAL/NAME`). */
export type Kind = Readonly<{ apiVersion: string; kind: string; plural: string; namespaced: boolean }>;

export const clusterKind = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: false,
});
export const namespacedKind = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});

const hypershift = "hypershift.openshift.io/v1beta1";
const machineConfiguration = "machineconfiguration.openshift.io/v1";

/** Every kind that hubrelay reads or writes: the only place that maps kinds to plural and scope. */
export const kinds = {
  ImageDigestMirrorSet: clusterKind(
    "config.openshift.io/v1",
    "ImageDigestMirrorSet",
    "imagedigestmirrorsets",
  ),
  ImageTagMirrorSet: clusterKind("config.openshift.io/v1", "ImageTagMirrorSet", "imagetagmirrorsets"),
  ImageContentSourcePolicy: clusterKind(
    "operator.openshift.io/v1alpha1",
    "ImageContentSourcePolicy",
    "imagecontentsourcepolicies",
  ),
  ImageSourceDigestPolicy: clusterKind(
    "config.openshift.io/v1",
    "ImageSourceDigestPolicy",
    "imagesourcedigestpolicies",
  ),
  ImageSourceTagPolicy: clusterKind(
    "config.openshift.io/v1",
    "ImageSourceTagPolicy",
    "imagesourcetagpolicies",
  ),
  OperatorImageSourceDigestPolicy: clusterKind(
    "operator.openshift.io/v1alpha1",
    "ImageSourceDigestPolicy",
    "imagesourcedigestpolicies",
  ),
  OperatorImageSourceTagPolicy: clusterKind(
    "operator.openshift.io/v1alpha1",
    "ImageSourceTagPolicy",
    "imagesourcetagpolicies",
  ),
  Image: clusterKind("config.openshift.io/v1", "Image", "images"),
  /** Lets nodes use pull secrets of the pod's namespace for mirrors. v1alpha1 is its version as a preview. */
  CRIOCredentialProviderConfig: clusterKind(
    "config.openshift.io/v1",
    "CRIOCredentialProviderConfig",
    "criocredentialproviderconfigs",
  ),
  CRIOCredentialProviderConfigV1alpha1: clusterKind(
    "config.openshift.io/v1alpha1",
    "CRIOCredentialProviderConfig",
    "criocredentialproviderconfigs",
  ),
  Proxy: clusterKind("config.openshift.io/v1", "Proxy", "proxies"),
  ClusterImagePolicy: clusterKind("config.openshift.io/v1", "ClusterImagePolicy", "clusterimagepolicies"),
  ImagePolicy: namespacedKind("config.openshift.io/v1", "ImagePolicy", "imagepolicies"),
  /** The two kinds of image policies on OpenShift up to 4.19, which serves no other version of them. */
  ClusterImagePolicyV1alpha1: clusterKind(
    "config.openshift.io/v1alpha1",
    "ClusterImagePolicy",
    "clusterimagepolicies",
  ),
  ImagePolicyV1alpha1: namespacedKind("config.openshift.io/v1alpha1", "ImagePolicy", "imagepolicies"),
  ClusterVersion: clusterKind("config.openshift.io/v1", "ClusterVersion", "clusterversions"),
  Infrastructure: clusterKind("config.openshift.io/v1", "Infrastructure", "infrastructures"),
  MachineConfiguration: clusterKind(
    "operator.openshift.io/v1",
    "MachineConfiguration",
    "machineconfigurations",
  ),
  MachineConfigPool: clusterKind(machineConfiguration, "MachineConfigPool", "machineconfigpools"),
  MachineConfig: clusterKind(machineConfiguration, "MachineConfig", "machineconfigs"),
  /** Makes the nodes of a pool boot an image that the cluster builds. v1alpha1 was its version as a preview. */
  MachineOSConfig: clusterKind(machineConfiguration, "MachineOSConfig", "machineosconfigs"),
  MachineOSConfigV1alpha1: clusterKind(
    "machineconfiguration.openshift.io/v1alpha1",
    "MachineOSConfig",
    "machineosconfigs",
  ),
  HostedCluster: namespacedKind(hypershift, "HostedCluster", "hostedclusters"),
  HostedControlPlane: namespacedKind(hypershift, "HostedControlPlane", "hostedcontrolplanes"),
  NodePool: namespacedKind(hypershift, "NodePool", "nodepools"),
  ClusterGroupUpgrade: namespacedKind(
    "ran.openshift.io/v1alpha1",
    "ClusterGroupUpgrade",
    "clustergroupupgrades",
  ),
  /** Upgrades clusters by a prepared image of a whole node, with TALM. */
  ImageBasedGroupUpgrade: namespacedKind(
    "lcm.openshift.io/v1alpha1",
    "ImageBasedGroupUpgrade",
    "imagebasedgroupupgrades",
  ),
  PreCachingReport: namespacedKind("hubrelay.dev/v1alpha1", "PreCachingReport", "precachingreports"),
  ReadinessReport: namespacedKind("hubrelay.dev/v1alpha1", "ReadinessReport", "readinessreports"),
  PreCachingConfig: namespacedKind("ran.openshift.io/v1alpha1", "PreCachingConfig", "precachingconfigs"),
  Policy: namespacedKind("policy.open-cluster-management.io/v1", "Policy", "policies"),
  ManagedCluster: clusterKind("cluster.open-cluster-management.io/v1", "ManagedCluster", "managedclusters"),
  /** What RHACM knows about a managed cluster, in its namespace. */
  ManagedClusterInfo: namespacedKind(
    "internal.open-cluster-management.io/v1beta1",
    "ManagedClusterInfo",
    "managedclusterinfos",
  ),
  Placement: namespacedKind("cluster.open-cluster-management.io/v1beta1", "Placement", "placements"),
  ManifestWork: namespacedKind("work.open-cluster-management.io/v1", "ManifestWork", "manifestworks"),
  /** A template of ManifestWorks: what ClusterGroupUpgrades name in `manifestWorkTemplates`. */
  ManifestWorkReplicaSet: namespacedKind(
    "work.open-cluster-management.io/v1alpha1",
    "ManifestWorkReplicaSet",
    "manifestworkreplicasets",
  ),
  ConfigMap: namespacedKind("v1", "ConfigMap", "configmaps"),
  MaintenanceWindow: namespacedKind("hubrelay.dev/v1alpha1", "MaintenanceWindow", "maintenancewindows"),
  Deployment: namespacedKind("apps/v1", "Deployment", "deployments"),
  Secret: namespacedKind("v1", "Secret", "secrets"),
  ImageStream: namespacedKind("image.openshift.io/v1", "ImageStream", "imagestreams"),
  /** An API group that is served by another server than the Kubernetes API server. */
  APIService: clusterKind("apiregistration.k8s.io/v1", "APIService", "apiservices"),
  CatalogSource: namespacedKind("operators.coreos.com/v1alpha1", "CatalogSource", "catalogsources"),
  /** A catalog of the second Operator Lifecycle Manager. */
  ClusterCatalog: clusterKind("olm.operatorframework.io/v1", "ClusterCatalog", "clustercatalogs"),
  /** An update graph of one's own. */
  UpdateService: namespacedKind("updateservice.operator.openshift.io/v1", "UpdateService", "updateservices"),
  OperatorHub: clusterKind("config.openshift.io/v1", "OperatorHub", "operatorhubs"),
  ValidatingAdmissionPolicy: clusterKind(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
  ),
  Event: namespacedKind("v1", "Event", "events"),
  /** The leader of several forwarders. */
  Lease: namespacedKind("coordination.k8s.io/v1", "Lease", "leases"),
} as const satisfies Record<string, Kind>;

/** Reports whether the reference or object is of this kind, in this API group and version. */
export function isKind(kind: Kind, object: Readonly<{ apiVersion: string; kind: string }>): boolean {
  return object.kind === kind.kind && object.apiVersion === kind.apiVersion;
}

/** Returns the kind of a reference, or undefined when hubrelay does not know it. */
export function kindOf(reference: Readonly<{ apiVersion: string; kind: string }>): Kind | undefined {
  return Object.values(kinds).find((kind) => isKind(kind, reference));
}

/** Returns the object's API path, e.g. `/apis/config.openshift.io/v1/imagedigestmirrorsets/acme`. */
export function apiPath(
  kind: Kind,
  { namespace, name }: Pick<ObjectReference, "namespace" | "name">,
): string {
  const root = kind.apiVersion.includes("/") ? "/apis" : "/api";
  const inNamespace = kind.namespaced && namespace ? `/namespaces/${namespace}` : "";
  return `${root}/${kind.apiVersion}${inNamespace}/${kind.plural}/${name}`;
}
