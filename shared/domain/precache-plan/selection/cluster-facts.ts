import { hash } from "node:crypto";
import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { byCodeUnit, fieldsOf, listOf, objectsOf, someOf, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readVersionHistory } from "../../openshift/releases/cluster-releases.ts";
import { parseRelease, type Release } from "../../openshift/releases/release.ts";
import { storedCondition, storedConditions } from "../../precache-model/conditions.ts";
import { sentence } from "../../text/redact.ts";

function claimOf({ status }: KubernetesObject, name: string): string | undefined {
  return textOf(objectsOf(fieldsOf(status).clusterClaims).find((claim) => claim.name === name)?.value);
}

/** Returns the topology of a cluster's control plane, from its claims; undefined without such a claim. */
export function topologyOf(cluster: KubernetesObject): string | undefined {
  return claimOf(cluster, "controlplanetopology.openshift.io");
}

function nodeListOf({ status }: KubernetesObject): readonly unknown[] {
  return listOf(fieldsOf(status).nodeList);
}

/** Returns the part of a ManagedClusterInfo that `nodesIn` needs. */
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

/** Returns the number of nodes by cluster name, from ManagedClusterInfos. Clusters without nodes are left out. */
export function nodesIn(infos: readonly KubernetesObject[]): ReadonlyMap<string, number> {
  return new Map(
    infos.flatMap((info): [string, number][] => {
      const { length } = nodeListOf(info);
      return length > 0 ? [[info.metadata.name, length]] : [];
    }),
  );
}

/**
 * Returns why a cluster is not a single-node cluster; undefined if it seems to be one. The number of nodes counts
 * too, because a control plane of one node may have workers.
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

/** Reports whether a managed cluster is being deleted. */
export function isLeaving({ metadata }: KubernetesObject): boolean {
  return "deletionTimestamp" in metadata && Boolean(metadata.deletionTimestamp);
}

/** Reports whether the hub refuses a managed cluster. */
export const isRefused = ({ spec }: KubernetesObject): boolean => fieldsOf(spec).hubAcceptsClient === false;

/** Reports whether a managed cluster is unavailable, or its agent has stopped renewing its lease. */
export function isUnavailable({ status }: KubernetesObject): boolean {
  const available = storedCondition(storedConditions(status), "ManagedClusterConditionAvailable");
  return ["False", "Unknown"].includes(String(available?.status));
}

/**
 * Returns a digest of the facts about a managed cluster that affect plans. Availability, which affects only the order
 * of clusters, is left out: the resync tick corrects that order.
 */
export function planningFacts(cluster: KubernetesObject): string {
  const labels = Object.entries(cluster.metadata.labels ?? {}).sort(([a], [b]) => byCodeUnit(a, b));
  const facts = [labels, isLeaving(cluster), topologyOf(cluster) ?? "", versionOf(cluster) ?? ""];
  return hash("sha256", JSON.stringify(facts), "base64");
}

/** Returns the hub's version from its ClusterVersion: the installed version, or else the desired version. */
export function hubVersionOf(clusterVersion: KubernetesObject | undefined): string | undefined {
  const { desired, history } = fieldsOf(clusterVersion?.status);
  return readVersionHistory(history).completed ?? textOf(fieldsOf(desired).version);
}

const supportedSkew = 2;
const maxNamed = 10;

function named(clusters: readonly KubernetesObject[]): string {
  return someOf(
    clusters.map(({ metadata }) => metadata.name),
    maxNamed,
  );
}

function behind(cluster: KubernetesObject, hub: Release): number | undefined {
  const version = parseRelease(versionOf(cluster));
  return version && version.major === hub.major ? hub.minor - version.minor : undefined;
}

/** Returns warnings about clusters more than two minor versions behind the hub, and about unknown versions. */
export function versionSkewIssues(
  cgu: KubernetesObject,
  clusters: readonly KubernetesObject[],
  hubVersion: string | undefined,
): readonly Issue[] {
  if (clusters.length === 0) return [];
  const warning = (code: Issue["code"], value: unknown, message: string, remedy: string) =>
    fieldWarning(cgu, "spec", value, { code, message, remedy });
  const hub = parseRelease(hubVersion);
  if (!hub)
    return [
      warning(
        "HubVersionUnknown",
        hubVersion,
        "The hub's version is not known, so it was not checked that clusters are at most two minor versions behind it.",
        "Provide ClusterVersion/version of the hub, or its version with --hub-version.",
      ),
    ];
  const old = clusters.filter((cluster) => (behind(cluster, hub) ?? 0) > supportedSkew);
  const unknown = clusters.filter((cluster) => behind(cluster, hub) === undefined);
  const oldest = `${hub.major}.${hub.minor - supportedSkew}`;
  return [
    ...(old.length > 0
      ? [
          warning(
            "VersionSkew",
            old.length,
            sentence`The hub's version is ${hub.major}.${hub.minor}; these clusters are older than ${oldest}: ${named(old)}.`,
            sentence`Upgrade them to ${oldest} first; what they need to pre-cache may be missing there.`,
          ),
        ]
      : []),
    ...(unknown.length > 0
      ? [
          warning(
            "ClusterVersionUnknown",
            unknown.length,
            sentence`These clusters do not report an OpenShift version of the hub's major version: ${named(unknown)}.`,
            "Check the claim version.openshift.io or the label openshiftVersion of the ManagedCluster.",
          ),
        ]
      : []),
  ];
}
