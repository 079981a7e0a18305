import { admit } from "../../crd/admit.ts";
import type { Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { capabilityIssues } from "../capabilities/capability-issues.ts";
import { readCapabilityChoice, resolveCapabilities } from "../capabilities/resolve.ts";
import { readHostedCluster } from "../cluster/hosted-cluster.ts";
import { ownHostedClusterSchema } from "./own-schema.ts";
import { admissionIssues } from "./refusals.ts";
import { unusableValues } from "./unusable.ts";

/** What an API server says to a HostedCluster by hubrelay's own rules. */
export function refusedValues(object: KubernetesObject, stored?: KubernetesObject): readonly Issue[] {
  return admissionIssues(object, admit(object, stored, ownHostedClusterSchema));
}

/**
 * What an API server says to a HostedCluster when it is created, or with `stored` when it takes that one's place,
 * as far as mirrors, catalogs, capabilities and pauses go; and what it accepts though nothing can use it.
 */
export function validateHostedCluster(object: KubernetesObject, stored?: KubernetesObject): readonly Issue[] {
  const { cluster } = readHostedCluster(object);
  const choice = readCapabilityChoice(cluster.capabilities);
  const { version } = cluster;
  const capabilities = resolveCapabilities({ choice, version });
  // Without a version or a choice there is nothing to say that the file's author could change.
  const isJudged = version !== undefined && choice.disabled.length + choice.enabled.length > 0;
  const judged = isJudged ? capabilityIssues({ hostedCluster: object, choice, version, capabilities }) : [];
  return [...refusedValues(object, stored), ...unusableValues(cluster), ...judged];
}
