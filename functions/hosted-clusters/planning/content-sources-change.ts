import { hash } from "node:crypto";
import type { ImageContentSource } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { sourceDifferences } from "#shared/domain/hosted-clusters/content-sources.ts";
import { type RolloutCost, rolloutCost } from "#shared/domain/hosted-clusters/nodes/rollout-cost.ts";
import { maxListed } from "#shared/domain/issues/issue.ts";
import type { PartialPlan } from "#shared/domain/plan/partial-plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { costWindowText } from "#shared/domain/windows/cost-window.ts";
import {
  type Permission,
  permissionFor,
  planHeldChange,
  writtenCircumstances,
} from "#shared/domain/windows/held-change.ts";
import { type Context, clusterOutcome } from "./cluster-plan.ts";

/** A change of `spec.imageContentSources`, which rolls out every NodePool of the hosted cluster. */
export type ContentSourcesChange = Readonly<{
  from: readonly ImageContentSource[];
  to: readonly ImageContentSource[];
  rollout: RolloutCost;
  permission: Permission;
}>;

/** Returns what the change to these sources costs, and whether it may be written now. */
export function contentSourcesChange(
  context: Context,
  to: readonly ImageContentSource[],
): ContentSourcesChange {
  const { cluster, nodePools } = context;
  const rollout = rolloutCost(cluster, nodePools);
  const permission = permissionFor(cluster.object, rollout.cost, context);
  return { from: cluster.imageContentSources, to, rollout, permission };
}

const limitedChange = ({ cluster }: Context, { cost, rule }: RolloutCost) => ({
  object: cluster.object,
  cost,
  rule,
});

function costData({ nodePools, ...rollout }: RolloutCost) {
  return { ...rollout, nodePools: nodePools.slice(0, maxListed) };
}

/** Returns the effect on nodes as a sentence, with the window that lets the change through. */
export function rolloutText({ rollout, permission: { window } }: ContentSourcesChange): string {
  return `${rollout.rule.text}${window ? sentence` In the maintenance window ${costWindowText(window)}.` : ""}`;
}

/** Returns what the outcome of a written change says about its cost. */
export function writtenData(
  context: Context,
  { rollout, permission }: ContentSourcesChange,
): Readonly<Record<string, unknown>> {
  const circumstances = writtenCircumstances(limitedChange(context, rollout), permission);
  return { cost: costData(rollout), conditions: [], ...circumstances };
}

/** Plans for a change that must not be written now: the nodes keep the present sources. */
export function planHeldSources(context: Context, change: ContentSourcesChange): PartialPlan {
  const { from, to, rollout, permission } = change;
  return planHeldChange(limitedChange(context, rollout), permission, {
    subject: sentence`${context.key} ImageContentSources`,
    differences: sourceDifferences(from, to),
    outcomeOf: (circumstances) =>
      clusterOutcome("held", context, hash("sha256", JSON.stringify([from, to])), {
        from: { contentSources: from },
        to: { contentSources: to },
        cost: costData(rollout),
        ...circumstances,
      }),
  });
}
