import { type Issue, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Trace } from "./trace.ts";

const codes = {
  leftover: "CapabilityLeftover",
  missing: "CapabilityIncomplete",
  userData: "CapabilityDataKept",
  removedByConfig: "RegistryRemovedByConfig",
} as const satisfies Record<Trace["kind"], string>;

/** Converts traces of capabilities to warnings on the HostedCluster: no API server refuses any of them. */
export function traceIssues(hostedCluster: KubernetesObject, traces: readonly Trace[]): readonly Issue[] {
  return traces.map(({ kind, capability, what, message, remedy }) => ({
    code: codes[kind],
    severity: "warning",
    object: issueObject(hostedCluster),
    path: "spec.capabilities",
    value: { capability, what },
    message,
    remedy,
  }));
}
