import { type Issue, issueObject } from "../../issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ManagedPolicies } from "./managed-policies.ts";
import type { UpgradeSpec } from "./upgrade-spec.ts";

/** What the API server would not have taken, so that it can only stand in a file. */
export function formIssues(cgu: KubernetesObject, { maxConcurrency }: UpgradeSpec): readonly Issue[] {
  if (maxConcurrency !== undefined) return [];
  return [
    {
      code: "MaxConcurrencyMissing",
      severity: "warning",
      object: issueObject(cgu),
      path: "spec.remediationStrategy.maxConcurrency",
      value: undefined,
      message: "The field is required. The API server refuses the object without it.",
      remedy: "Say how many clusters may work at the same time.",
    },
  ];
}

/** What a person may not have meant by the selection of clusters. */
export function selectionIssues(
  cgu: KubernetesObject,
  ignored: readonly string[],
  names: readonly string[],
): readonly Issue[] {
  const warning = { severity: "warning" as const, object: issueObject(cgu) };
  return [
    ...ignored.map((entry) => ({
      ...warning,
      code: "SelectorIgnored",
      path: "spec.clusterSelector",
      value: entry,
      message: "The entry has more than one equals sign; it is ignored.",
      remedy: "Write key=value, or use spec.clusterLabelSelectors.",
    })),
    ...(names.length === 0
      ? [
          {
            ...warning,
            code: "NoClusterSelected",
            path: "spec",
            value: undefined,
            message: "No cluster is selected, so nothing is pre-cached.",
            remedy: "Look at the labels of the managed clusters.",
          },
        ]
      : []),
  ];
}

/** Managed policies that are left out because they are enforced; TALM does so without a word. */
export function enforcedIssues(
  cgu: KubernetesObject,
  { enforced }: ManagedPolicies,
  compat: "talm" | undefined,
): readonly Issue[] {
  if (compat === "talm") return [];
  return enforced.map((name) => ({
    code: "PolicyEnforced",
    severity: "warning",
    object: issueObject(cgu),
    path: "spec.managedPolicies",
    value: name,
    message:
      "The policy is enforced, so it is not rolled out by this object and nothing is pre-cached for it.",
    remedy: "Set its remediationAction to inform.",
  }));
}
