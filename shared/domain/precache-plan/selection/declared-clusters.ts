import { fieldsOf, listOf, objectsOf, textOf, type UnknownRecord } from "../../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";

/** The kinds of GitOps ZTP that declare clusters for the hub to install. */
export const clusterDeclarations = [kinds.ClusterInstance, kinds.SiteConfig] as const;

function declared({ clusterName, nodes }: UnknownRecord, labels: unknown): readonly KubernetesObject[] {
  const name = textOf(clusterName);
  if (name === undefined) return [];
  const texts = Object.entries(fieldsOf(labels)).filter(
    (entry): entry is [string, string] => textOf(entry[1]) !== undefined,
  );
  const { apiVersion, kind } = kinds.ManagedCluster;
  const topology = listOf(nodes).length > 1 ? "HighlyAvailable" : "SingleReplica";
  return [
    {
      apiVersion,
      kind,
      metadata: { name, labels: Object.fromEntries(texts) },
      status: { clusterClaims: [{ name: "controlplanetopology.openshift.io", value: topology }] },
    },
  ];
}

function declaredIn(object: KubernetesObject): readonly KubernetesObject[] {
  const spec = fieldsOf(object.spec);
  if (isKind(kinds.ClusterInstance, object)) return declared(spec, fieldsOf(spec.extraLabels).ManagedCluster);
  if (!isKind(kinds.SiteConfig, object)) return [];
  return objectsOf(spec.clusters).flatMap((cluster) => declared(cluster, cluster.clusterLabels));
}

/** Returns the ManagedClusters among these objects, and those that the hub will create for GitOps ZTP's clusters. */
export function managedClustersIn(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const managed = objects.filter((object) => isKind(kinds.ManagedCluster, object));
  const known = new Set(managed.map(({ metadata }) => metadata.name));
  return [...managed, ...objects.flatMap(declaredIn).filter(({ metadata }) => !known.has(metadata.name))];
}
