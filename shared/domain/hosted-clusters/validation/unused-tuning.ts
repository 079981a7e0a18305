import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { fieldsOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { readCapabilityChoice } from "../capabilities/cluster-version-capabilities.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { nodePoolsOf } from "../nodes/node-pool.ts";

type TunedCluster = Pick<HostedCluster, "namespace" | "name" | "capabilities">;

/** Returns true if NodeTuning is disabled: the tuning of its NodePools is then ignored. */
export function isWithoutTuning({ capabilities }: Pick<HostedCluster, "capabilities">): boolean {
  return readCapabilityChoice(capabilities).disabled.includes("NodeTuning");
}

/**
 * Warns about NodePools that request tuning in a hosted cluster without NodeTuning. An API server accepts that.
 * Behaviour: Reconcile in hypershift-operator/controllers/nodepool/nodepool_controller.go.
 */
export function unusedTuning(
  cluster: TunedCluster,
  nodePools: readonly KubernetesObject[],
): readonly Issue[] {
  if (!isWithoutTuning(cluster)) return [];
  return nodePoolsOf(cluster, nodePools).flatMap(({ object }): Issue[] => {
    const { tuningConfig } = fieldsOf(object.spec);
    if (!Array.isArray(tuningConfig) || tuningConfig.length === 0) return [];
    return [
      fieldWarning(object, "spec.tuningConfig", tuningConfig, {
        code: "UnusedTuning",
        message: sentence`NodeTuning is disabled on the HostedCluster ${cluster.namespace}/${cluster.name}, so this is ignored and no node is tuned`,
        remedy: "Remove it: only a new HostedCluster can have NodeTuning again.",
      }),
    ];
  });
}
