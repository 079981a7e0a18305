/*
 * The kinds that `oc adm migrate icsp` can decode besides ImageContentSourcePolicy: those of OpenShift's operator
 * and config APIs. Its error for them differs from that for unknown kinds.
 */

const requestKinds = "CreateOptions DeleteOptions GetOptions ListOptions PatchOptions UpdateOptions";

/** Kinds by API version; each of the first list has a list kind (`DNSList`), those of the second do not. */
const known: Readonly<Record<string, readonly [listed: string, alone: string]>> = {
  v1: ["APIGroup", `APIResourceList APIVersions Status WatchEvent ${requestKinds}`],
  "config.openshift.io/v1": [
    "APIServer Authentication Build ClusterImagePolicy ClusterOperator ClusterVersion Console DNS FeatureGate " +
      "Image ImageContentPolicy ImageDigestMirrorSet ImagePolicy ImageTagMirrorSet Infrastructure Ingress " +
      "InsightsDataGather Network Node OAuth OperatorHub Project Proxy Scheduler",
    `WatchEvent ${requestKinds}`,
  ],
  "operator.openshift.io/v1": [
    "Authentication CSISnapshotController CloudCredential ClusterCSIDriver Console DNS Etcd IngressController " +
      "InsightsOperator KubeAPIServer KubeControllerManager KubeScheduler KubeStorageVersionMigrator " +
      "MachineConfiguration Network OLM OpenShiftAPIServer OpenShiftControllerManager ServiceCA " +
      "ServiceCatalogAPIServer ServiceCatalogControllerManager Storage",
    `WatchEvent ${requestKinds}`,
  ],
  "operator.openshift.io/v1alpha1": [
    "ClusterAPI ClusterVersionOperator EtcdBackup ImageContentSourcePolicy OLM",
    `GenericOperatorConfig WatchEvent ${requestKinds}`,
  ],
};

/** Reports whether oc knows the kind, lists included. */
export function isKnownToOc(apiVersion: string, kind: string): boolean {
  const [listed = "", alone = ""] = (Object.hasOwn(known, apiVersion) && known[apiVersion]) || [];
  const kindsWithList = listed.split(" ");
  const single = kind.endsWith("List") ? kind.slice(0, -"List".length) : kind;
  return kindsWithList.includes(kind) || kindsWithList.includes(single) || alone.split(" ").includes(kind);
}
