import {
  type Assumption,
  type Coverage,
  countedKinds,
  coverageOf,
  type Unread,
  unreadOfIssues,
} from "../issues/coverage.ts";
import { ownValue, someOf } from "../kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { architectureLabel } from "../precache-model/planned-upgrade.ts";
import type { PrecachePlan } from "../precache-model/precache-plan.ts";
import { configsOf, readUpgradeSpec } from "../precache-model/upgrade-spec.ts";
import { sentence } from "../text/redact.ts";
import type { PlanInput } from "./plan-input.ts";
import { isComplianceAssumed } from "./policies/managed-policies.ts";

function managedPoliciesOf({ cgu, policies }: Pick<PlanInput, "cgu" | "policies">) {
  const names = new Set(readUpgradeSpec(cgu).managedPolicies);
  return policies.filter(({ metadata }) => names.has(metadata.name));
}

function unmeasured({ sizes }: PrecachePlan): readonly Unread[] {
  return (sizes?.notCounted ?? []).map(({ name }) => ({ what: name, why: "not-checked", count: 1 }));
}

function assumptions(
  { sizes }: PrecachePlan,
  managed: readonly KubernetesObject[],
  managedClusters: readonly KubernetesObject[],
): readonly Assumption[] {
  const unknown = managed.filter(isComplianceAssumed).map(({ metadata }) => metadata.name);
  const measured = new Set(sizes?.clusters.map(({ name }) => name));
  const isArchitectureAssumed = managedClusters.some(
    ({ metadata }) => measured.has(metadata.name) && !ownValue(metadata.labels, architectureLabel),
  );
  const text = sentence`no cluster complies with ${someOf(unknown)} yet`;
  return [
    ...(unknown.length > 0 ? [{ what: "policies", text } as const] : []),
    ...(isArchitectureAssumed ? [{ what: "architecture", text: "architecture amd64" } as const] : []),
  ];
}

/** Returns what was read for a plan, what was not read, and what is assumed. `input` is undefined if unreadable. */
export function planCoverage(
  plan: PrecachePlan,
  input: Omit<PlanInput, "lookup"> | undefined,
  unread: readonly Unread[],
): Coverage {
  const managed = input ? managedPoliciesOf(input) : [];
  const objects = input ? [input.cgu, ...managed, ...configsOf(input.cgu, input.preCachingConfigs)] : [];
  const clusters = { what: kinds.ManagedCluster.kind, count: plan.clusters.length };
  return coverageOf({
    read: [...countedKinds(objects), ...(clusters.count > 0 ? [clusters] : [])],
    unread: [...unread, ...unreadOfIssues(plan.issues), ...unmeasured(plan)],
    assumed: assumptions(plan, managed, input?.managedClusters ?? []),
  });
}
