import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsByCluster } from "#shared/domain/hosted-clusters/nodes/node-pool.ts";
import { nodePoolIssues } from "#shared/domain/hosted-clusters/nodes/node-pool-issues.ts";
import { configMapsOf, readPoolConfig } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { nodeRulesOf } from "#shared/domain/ready/hosted-rules.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { unknownName } from "../../program/unknown-name.ts";
import { routesOf } from "../ready/node-rules.ts";

/** The locations from which a node pool's nodes try to pull an image. */
export type NodeExplanation = Readonly<{
  image: string;
  nodePool: string;
  /** In the order of trying; `reason` says why nodes skip a location, null if they try it. */
  locations: readonly Readonly<{ reference: string; isMirror: boolean; reason: string | null }>[];
  /** ConfigMaps in `spec.config` that were not read. */
  unreadConfig: readonly string[];
}>;

export type ExplainedOnNodes = Readonly<{ explanation: NodeExplanation; issues: readonly Issue[] }>;

/**
 * Explains from where a node pool's nodes pull an image: by spec.imageContentSources of the HostedCluster and the pool's
 * ConfigMaps. Throws `UsageError` for an unknown pool, an invalid image, or rules that cannot be rendered.
 */
export function explainOnNodes(
  image: string,
  cluster: HostedCluster,
  poolName: string,
  objects: readonly KubernetesObject[],
): ExplainedOnNodes {
  const pools = nodePoolsByCluster(objects)(cluster);
  const read = pools.find(({ pool }) => pool.name === poolName);
  if (!read)
    throw unknownName(
      `no such NodePool of ${cluster.namespace}/${cluster.name}: ${poolName}`,
      poolName,
      pools.map(({ pool }) => pool.name),
    );
  const configMaps = configMapsOf(objects);
  const { objects: ofPool, unread } = readPoolConfig(read.pool, configMaps);
  const routes = routesOf(nodeRulesOf(cluster, ofPool), { name: "worker" });
  const own = nodePoolIssues(cluster, read, configMaps);
  if ("refusal" in routes)
    return {
      explanation: { image, nodePool: poolName, locations: [], unreadConfig: unread },
      issues: [...own, ...routes.refusal],
    };
  const route = routes.routeOf(image);
  if ("problem" in route) throw new UsageError(route.problem);
  const locations = route.locations.map(({ reference, isMirror, skipped }) => ({
    reference,
    isMirror,
    reason: skipped?.text ?? null,
  }));
  return {
    explanation: { image, nodePool: poolName, locations, unreadConfig: unread },
    issues: [...own, ...routes.issues],
  };
}

/** Renders the locations of an image on the nodes of a pool as a table. */
export function nodeExplanationText({ image, nodePool, locations, unreadConfig }: NodeExplanation): SafeText {
  const first = locations.find(({ reason }) => reason === null);
  const rows = locations.map((location): readonly Cell[] => {
    const { reference, isMirror, reason } = location;
    const where = isMirror ? "mirror" : "the image itself";
    const state =
      reason !== null
        ? painted("yellow", "not tried")
        : location === first
          ? painted("green", "first")
          : painted("dim", "then");
    return ["", state, reference, reason === null ? where : `${where}; ${reason}`];
  });
  const none = first ? "" : safe`No node of ${nodePool} can pull it.\n`;
  const unread =
    unreadConfig.length === 0
      ? ""
      : safe`Not read: ConfigMap ${unreadConfig.join(", ")} of spec.config, which may have other mirrors.\n`;
  return safe`${painted("bold", image)} on nodes of ${nodePool}\n${table(rows)}${none}${unread}`;
}
