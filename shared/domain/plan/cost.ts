import { annotationIssue, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";

/**
 * The effect of a change on a node, in ascending order: the file is written and no service is notified; services
 * are reloaded or restarted in place; the node is cordoned and its pods are evicted; it is drained and rebooted; it is
 * deleted, and a new one takes its place.
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

/** Reports whether a change of this cost must wait under a limit of `maxCost`. */
export function exceeds(cost: Cost, maxCost: Cost): boolean {
  return costRank(cost) > costRank(maxCost);
}

/** The codes of rules about files, parts of registries.conf, and nodes of a hosted cluster. They keep their meanings. */
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

/** Why a change has its cost: a code for machines, a sentence for people. */
export type CostRule = Readonly<{ code: (typeof costRuleCodes)[number]; text: string }>;

/** Set by users on a MachineConfigPool: changes with a higher cost for its nodes wait. */
export const maxCostAnnotation = "hubrelay.dev/max-cost";

type MaxCost = Readonly<{ maxCost: Cost | undefined; issues: readonly Issue[] }>;

/**
 * Reads a pool's limit. An invalid value is reported and counts as `none`: the user wanted to hold changes back, and a
 * typing error must not drain the nodes.
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

/** Returns the highest cost that a pool always allows; without the annotation every cost, as machine-config-operator. */
export function limitOf(pool: KubernetesObject): Cost {
  return maxCostOf(pool).maxCost ?? "replace";
}
