import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsByCluster } from "#shared/domain/hosted-clusters/nodes/node-pool.ts";
import { nodePoolIssues } from "#shared/domain/hosted-clusters/nodes/node-pool-issues.ts";
import { configMapsOf, readPoolConfig } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import type { HostedImageExplanation } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { nodeRulesOf } from "#shared/domain/ready/hosted-rules.ts";
import { printMessage, safe } from "../../io/safe-text.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { unknownName } from "../../program/unknown-name.ts";
import { routesOf } from "../ready/node-rules.ts";

/**
 * Returns from where the nodes of a node pool pull an image. If they cannot pull it, no candidate is taken. Throws
 * `UsageError` for an unknown pool or an invalid image.
 */
export function explainOnNodes(
  image: string,
  cluster: HostedCluster,
  poolName: string,
  objects: readonly KubernetesObject[],
): Readonly<{ explanation: HostedImageExplanation; issues: readonly Issue[] }> {
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
  if (unread.length > 0)
    printMessage(safe`not read: ConfigMap ${unread.join(", ")} of spec.config, which may have other mirrors`);
  const routes = routesOf(nodeRulesOf(cluster, ofPool), { name: "worker" });
  const own = nodePoolIssues(cluster, read, configMaps);
  if ("refusal" in routes)
    return { explanation: { image, candidates: [] }, issues: [...own, ...routes.refusal] };
  const route = routes.routeOf(image);
  if ("problem" in route) throw new UsageError(route.problem);
  const first = route.locations.find(({ skipped }) => skipped === undefined);
  const candidates = route.locations.map((location) => ({
    reference: location.reference,
    source: null,
    mirror: location.isMirror ? location.reference : null,
    taken: location === first,
    reason:
      location === first
        ? null
        : (location.skipped?.text ?? "nodes try it only if the candidates before it fail"),
  }));
  return { explanation: { image, candidates }, issues: [...own, ...routes.issues] };
}
