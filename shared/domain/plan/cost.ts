import { annotationIssue, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";

/**
 * The effects of a change on a node, from lowest to highest. `none` notifies no service, `reload` reloads or restarts
 * services, `drain` evicts pods, `reboot` also reboots the node, and `replace` recreates the node.
 */
export const costs = ["none", "reload", "drain", "reboot", "replace"] as const;

export type Cost = (typeof costs)[number];

/** Returns the position of a cost in `costs`. */
export function costRank(cost: Cost): number {
  return costs.indexOf(cost);
}

/** Returns the highest cost; `none` for an empty list. */
export function highestCost(all: readonly Cost[]): Cost {
  return costs.findLast((cost) => all.includes(cost)) ?? "none";
}

/** Reports whether a cost is higher than `maxCost`. The change must then wait. */
export function exceeds(cost: Cost, maxCost: Cost): boolean {
  return costRank(cost) > costRank(maxCost);
}

/** Codes of the rules that determine costs. The meaning of a code never changes, because programs read codes. */
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

/** Annotation of a MachineConfigPool: the highest cost that a change of its nodes may have. Costlier changes wait. */
export const maxCostAnnotation = "hubrelay.dev/max-cost";

type MaxCost = Readonly<{ maxCost: Cost | undefined; issues: readonly Issue[] }>;

/**
 * Returns the highest cost that a pool's annotation allows. An invalid value is an issue, and counts as `none`: a
 * typing error must not drain nodes.
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

/** Returns the highest cost that a pool allows. A pool without the annotation allows every change, even `replace`. */
export function limitOf(pool: KubernetesObject): Cost {
  return maxCostOf(pool).maxCost ?? "replace";
}
