import { hash } from "node:crypto";
import { byCodeUnit, fieldsOf, listOf, objectsOf, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readVersionHistory } from "../../openshift/releases/cluster-releases.ts";
import { sentence } from "../../text/redact.ts";

/** Claims are optional. */
function claimOf({ status }: KubernetesObject, name: string): string | undefined {
  return textOf(objectsOf(fieldsOf(status).clusterClaims).find((claim) => claim.name === name)?.value);
}

/** Returns the topology that a cluster claims for its control plane; undefined when it is unknown. */
export function topologyOf(cluster: KubernetesObject): string | undefined {
  return claimOf(cluster, "controlplanetopology.openshift.io");
}

function nodeListOf({ status }: KubernetesObject): readonly unknown[] {
  return listOf(fieldsOf(status).nodeList);
}

/** Returns the part of a ManagedClusterInfo that `nodesIn` needs: the whole has 10 kB, mostly about the release. */
export function nodesOnly(info: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = info;
  const { namespace, name } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { ...(namespace ? { namespace } : {}), name },
    status: { nodeList: nodeListOf(info).map(() => ({})) },
  };
}

/** Returns the number of nodes by cluster, from RHACM's ManagedClusterInfos; without those that list no node yet. */
export function nodesIn(infos: readonly KubernetesObject[]): ReadonlyMap<string, number> {
  return new Map(
    infos.flatMap((info): [string, number][] => {
      const { length } = nodeListOf(info);
      return length > 0 ? [[info.metadata.name, length]] : [];
    }),
  );
}

/**
 * Returns why a cluster is not a single-node cluster, by its control plane topology and the number of its nodes;
 * undefined when it is one, or when both are unknown. Workers can be added to a control plane of one node.
 */
export function notSingleNode(cluster: KubernetesObject, nodes: number | undefined): string | undefined {
  const topology = topologyOf(cluster);
  if (topology !== undefined && topology !== "SingleReplica")
    return sentence`It is not a single-node cluster: its control plane topology is ${topology}.`;
  if (nodes !== undefined && nodes > 1) return `It is not a single-node cluster: it has ${nodes} nodes.`;
  return undefined;
}

/** Returns the OpenShift version of a managed cluster, from its claim or from the label that RHACM sets. */
export function versionOf(cluster: KubernetesObject): string | undefined {
  return claimOf(cluster, "version.openshift.io") ?? (cluster.metadata.labels?.openshiftVersion || undefined);
}

/** True for a managed cluster that is being deleted. */
export function isLeaving({ metadata }: KubernetesObject): boolean {
  return "deletionTimestamp" in metadata && Boolean(metadata.deletionTimestamp);
}

/**
 * Returns a digest of what planning depends on in a managed cluster. Its status changes constantly, these facts
 * rarely; its availability is not included, because unavailable clusters are planned as well.
 */
export function planningFacts(cluster: KubernetesObject): string {
  const labels = Object.entries(cluster.metadata.labels ?? {}).sort(([a], [b]) => byCodeUnit(a, b));
  const facts = [labels, isLeaving(cluster), topologyOf(cluster) ?? "", versionOf(cluster) ?? ""];
  return hash("sha256", JSON.stringify(facts), "base64");
}

/** Returns the version of the hub from its ClusterVersion: the running one, otherwise the desired one. */
export function hubVersionOf(clusterVersion: KubernetesObject | undefined): string | undefined {
  const { desired, history } = fieldsOf(clusterVersion?.status);
  return readVersionHistory(history).completed ?? textOf(fieldsOf(desired).version);
}
