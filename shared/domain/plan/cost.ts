import { annotationIssue, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";

/**
 * The effects of a change on a node, from lowest to highest: `none` writes files and notifies no service; `reload`
 * reloads or restarts services; `drain` cordons the node and evicts its pods; `reboot` drains and reboots; `replace`
 * deletes the node and creates a new one.
 */
export const costs = ["none", "reload", "drain", "reboot", "replace"] as const;

export type Cost = (typeof costs)[number];

/** Returns the position of a cost in `costs`, for comparisons. */
export function costRank(cost: Cost): number {
  return costs.indexOf(cost);
}

/** Returns the highest cost; `none` for an empty list. */
export function highestCost(all: readonly Cost[]): Cost {
  return costs.findLast((cost) => all.includes(cost)) ?? "none";
}

/** Reports whether a change of this cost exceeds the limit `maxCost`, and so must wait. */
export function exceeds(cost: Cost, maxCost: Cost): boolean {
  return costRank(cost) > costRank(maxCost);
}

/** Codes of the rules that determine costs. Programs read these codes: the meaning of a code never changes. */
export const costRuleCodes = [
  "no-change",
  "no-policy",
  "policy",
  "registries-conf-unsafe",
  "registries-conf-safe",
  "registries-conf-same",
  "registries-conf-unreadable",
  "single-replica",
  "drain-overridden",
  "image-mode",
  "entry-removed",
  "entry-added-for-tags",
  "entry-added-without-mirrors",
  "entry-added-digest-only",
  "mirror-removed",
  "mirror-added-for-tags",
  "mirror-added-digest-only",
  "mirror-now-digest-only",
  "mirror-pull-kind-changed",
  "mirrors-reordered",
  "prefix-changed",
  "location-changed",
  "blocked-changed",
  "insecure-changed",
  "search-registries-appended",
  "search-registries-changed",
  "not-compared",
  "no-hosted-nodes",
  "not-installed",
  "hosted-nodes-drained",
  "hosted-nodes-replaced",
] as const;

/** The rule that gave a change its cost: a code for programs, and a sentence for people. */
export type CostRule = Readonly<{ code: (typeof costRuleCodes)[number]; text: string }>;

/** Annotation of a MachineConfigPool with the highest cost that users allow for its nodes; costlier changes wait. */
export const maxCostAnnotation = "hubrelay.dev/max-cost";

type MaxCost = Readonly<{ maxCost: Cost | undefined; issues: readonly Issue[] }>;

/**
 * Reads the highest cost that a pool's annotation allows. An invalid value is an issue and counts as `none`: the user
 * wants to hold changes, and a typing error must not drain nodes.
 */
export function maxCostOf(pool: KubernetesObject): MaxCost {
  const value = pool.metadata.annotations?.[maxCostAnnotation];
  if (value === undefined) return { maxCost: undefined, issues: [] };
  const maxCost = costs.find((cost) => cost === value);
  if (maxCost) return { maxCost, issues: [] };
  const issue = annotationIssue(pool, maxCostAnnotation, {
    code: "InvalidMaxCost",
    message: sentence`${JSON.stringify(value)} is not a cost; until it is fixed, only changes that cost nothing are written`,
    remedy: sentence`Write one of ${costs.join(", ")}, or remove the annotation to allow every change.`,
  });
  return { maxCost: "none", issues: [issue] };
}

/** Returns the highest cost that a pool allows. Without the annotation it is `replace`, which allows every change. */
export function limitOf(pool: KubernetesObject): Cost {
  return maxCostOf(pool).maxCost ?? "replace";
}
