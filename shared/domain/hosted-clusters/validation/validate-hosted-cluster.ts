import type { Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { capabilityIssues } from "../capabilities/capability-issues.ts";
import { readCapabilityChoice } from "../capabilities/cluster-version-capabilities.ts";
import { readHostedCluster } from "../cluster/hosted-cluster.ts";
import { refusedValues } from "./refusals.ts";
import { unusableValues } from "./unusable.ts";

/**
 * Reports what an API server would refuse when a HostedCluster is created or replaces `stored`, limited to mirrors,
 * catalogs, capabilities and pauses; and what it would accept without effect.
 */
export function validateHostedCluster(object: KubernetesObject, stored?: KubernetesObject): readonly Issue[] {
  const { cluster, issues } = readHostedCluster(object);
  const choice = readCapabilityChoice(cluster.capabilities);
  const { controlPlaneVersion: version } = cluster;
  // Without a version or a choice, the file's author could change nothing.
  const isChecked = version !== undefined && choice.disabled.length + choice.enabled.length > 0;
  const capabilityWarnings = isChecked ? capabilityIssues({ hostedCluster: object, choice, version }) : [];
  return [...issues, ...refusedValues(object, stored), ...unusableValues(cluster), ...capabilityWarnings];
}
