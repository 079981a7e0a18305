import type { ObjectReference } from "./object.ts";

/** One kind of the API, with the parts of its path (`/apis/GROUP/VERSION[/namespaces/NS]/PLURAL/NAME`). */
export type Kind = Readonly<{ apiVersion: string; kind: string; plural: string; namespaced: boolean }>;

const cluster = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: false,
});
const namespaced = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});

const hypershift = "hypershift.openshift.io/v1beta1";
const machineConfiguration = "machineconfiguration.openshift.io/v1";

/** Every kind that hubrelay reads or writes: the only place that maps kinds to plural and scope. */
export const kinds = {
  ImageDigestMirrorSet: cluster("config.openshift.io/v1", "ImageDigestMirrorSet", "imagedigestmirrorsets"),
  ImageTagMirrorSet: cluster("config.openshift.io/v1", "ImageTagMirrorSet", "imagetagmirrorsets"),
  ImageContentSourcePolicy: cluster(
    "operator.openshift.io/v1alpha1",
    "ImageContentSourcePolicy",
    "imagecontentsourcepolicies",
  ),
  ImageSourceDigestPolicy: cluster(
    "config.openshift.io/v1",
    "ImageSourceDigestPolicy",
    "imagesourcedigestpolicies",
  ),
  ImageSourceTagPolicy: cluster("config.openshift.io/v1", "ImageSourceTagPolicy", "imagesourcetagpolicies"),
  OperatorImageSourceDigestPolicy: cluster(
    "operator.openshift.io/v1alpha1",
    "ImageSourceDigestPolicy",
    "imagesourcedigestpolicies",
  ),
  OperatorImageSourceTagPolicy: cluster(
    "operator.openshift.io/v1alpha1",
    "ImageSourceTagPolicy",
    "imagesourcetagpolicies",
  ),
  Image: cluster("config.openshift.io/v1", "Image", "images"),
  ClusterImagePolicy: cluster("config.openshift.io/v1", "ClusterImagePolicy", "clusterimagepolicies"),
  ImagePolicy: namespaced("config.openshift.io/v1", "ImagePolicy", "imagepolicies"),
  ClusterVersion: cluster("config.openshift.io/v1", "ClusterVersion", "clusterversions"),
  Infrastructure: cluster("config.openshift.io/v1", "Infrastructure", "infrastructures"),
  MachineConfiguration: cluster("operator.openshift.io/v1", "MachineConfiguration", "machineconfigurations"),
  MachineConfigPool: cluster(machineConfiguration, "MachineConfigPool", "machineconfigpools"),
  MachineConfig: cluster(machineConfiguration, "MachineConfig", "machineconfigs"),
  HostedCluster: namespaced(hypershift, "HostedCluster", "hostedclusters"),
  HostedControlPlane: namespaced(hypershift, "HostedControlPlane", "hostedcontrolplanes"),
  NodePool: namespaced(hypershift, "NodePool", "nodepools"),
  ClusterGroupUpgrade: namespaced("ran.openshift.io/v1alpha1", "ClusterGroupUpgrade", "clustergroupupgrades"),
  PreCachingReport: namespaced("hubrelay.dev/v1alpha1", "PreCachingReport", "precachingreports"),
  PreCachingConfig: namespaced("ran.openshift.io/v1alpha1", "PreCachingConfig", "precachingconfigs"),
  Policy: namespaced("policy.open-cluster-management.io/v1", "Policy", "policies"),
  ManagedCluster: cluster("cluster.open-cluster-management.io/v1", "ManagedCluster", "managedclusters"),
  ManifestWork: namespaced("work.open-cluster-management.io/v1", "ManifestWork", "manifestworks"),
  ConfigMap: namespaced("v1", "ConfigMap", "configmaps"),
  MaintenanceWindow: namespaced("hubrelay.dev/v1alpha1", "MaintenanceWindow", "maintenancewindows"),
  Deployment: namespaced("apps/v1", "Deployment", "deployments"),
  Secret: namespaced("v1", "Secret", "secrets"),
  ImageStream: namespaced("image.openshift.io/v1", "ImageStream", "imagestreams"),
  /** An API group that is served by another server than the Kubernetes API server. */
  APIService: cluster("apiregistration.k8s.io/v1", "APIService", "apiservices"),
  CatalogSource: namespaced("operators.coreos.com/v1alpha1", "CatalogSource", "catalogsources"),
  OperatorHub: cluster("config.openshift.io/v1", "OperatorHub", "operatorhubs"),
  ValidatingAdmissionPolicy: cluster(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
  ),
  Event: namespaced("v1", "Event", "events"),
  /** The leader of several forwarders. */
  Lease: namespaced("coordination.k8s.io/v1", "Lease", "leases"),
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
