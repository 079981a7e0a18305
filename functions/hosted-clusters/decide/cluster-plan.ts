import { createHash } from "node:crypto";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { ManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { boundedIssues, type Issue, longestList } from "#shared/domain/issues/issue.ts";
import { firstSeen, type ObjectEvent } from "#shared/domain/plan/object-events.ts";
import type { Action, Decision } from "#shared/domain/plan/plan.ts";
import { eventComponent } from "../event-source.ts";
import type { ClusterSnapshot } from "../observe/observe-cluster.ts";

/** A hosted cluster that exists, with what was read about it. */
export type Context = ClusterSnapshot & Readonly<{ cluster: HostedCluster; mirrors: ManagementMirrors }>;

/** What one part of the function plans for a hosted cluster. */
export type PartialPlan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  actions: readonly Action[];
  objectEvents: readonly ObjectEvent[];
  requeueAt?: Date;
  /** The actions are only a first step: the next ones are decided from their result. */
  again?: true;
}>;

export const nothing: PartialPlan = { decisions: [], issues: [], actions: [], objectEvents: [] };

/** Merges the parts in their order; the earliest `requeueAt` wins. */
export function mergePlans(...parts: readonly PartialPlan[]): PartialPlan {
  const soonest = parts
    .flatMap(({ requeueAt }) => (requeueAt ? [requeueAt] : []))
    .sort((a, b) => a.getTime() - b.getTime())[0];
  return {
    decisions: parts.flatMap(({ decisions }) => decisions),
    issues: parts.flatMap(({ issues }) => issues),
    actions: parts.flatMap(({ actions }) => actions),
    objectEvents: parts.flatMap(({ objectEvents }) => objectEvents),
    ...(soonest ? { requeueAt: soonest } : {}),
    ...(parts.some(({ again }) => again) ? { again: true } : {}),
  };
}

/** Returns a plan with one decision about the hosted cluster or a part of it, and no actions. */
export function settled(
  subject: string,
  verdict: string,
  reason: string,
  more: Pick<Decision, "owner" | "differences"> = {},
): PartialPlan {
  return { ...nothing, decisions: [{ subject, verdict, reason, ...more }] };
}

/** Returns an outcome event about a hosted cluster; `from` names the state that it leaves. */
export function clusterOutcome(
  type: string,
  { hubId, key, cluster }: Context,
  from: string,
  data: Readonly<Record<string, unknown>>,
  issues: readonly Issue[] = [],
): OutcomeEvent {
  const { namespace, name, version } = cluster;
  return outcomeEvent({
    type: `dev.hubrelay.hosted-clusters.${type}`,
    source: hubId,
    subject: key,
    from,
    data: { namespace, name, version: version ?? null, ...data, ...boundedIssues(issues) },
  });
}

/** Something that another owner should write and has not written yet. */
export type Difference = Readonly<{
  /** CamelCase; both Event reasons begin with it: `ControlPlane`, `Guest`. */
  about: string;
  /** One sentence per difference. */
  differences: readonly string[];
  /** Who writes it, and how long that may take. */
  owner: string;
  graceSeconds: number;
  /** What to do if the owner does not write it. */
  remedy: string;
}>;

/**
 * Plans for a difference that another owner is expected to remove, and that becomes drift after the grace period.
 * The Event about the expectation records when it began; other differences start a new period.
 */
export function expected(
  context: Context,
  { about, differences, owner, graceSeconds, remedy }: Difference,
): PartialPlan {
  const { now, cluster, objectEvents: existing } = context;
  const subject = `${context.key} ${about}`;
  if (differences.length === 0)
    return settled(subject, "in agreement", `${owner} has written what it should`, { owner });
  const distinction = createHash("sha256").update(JSON.stringify(differences)).digest("hex").slice(0, 16);
  const what = differences.join(" ");
  const expectation: ObjectEvent = {
    regarding: cluster.object,
    type: "Normal",
    reason: `${about}Expected`,
    message: `${owner} is expected to write: ${what}`,
    distinction,
  };
  const since = firstSeen(expectation, eventComponent, existing);
  const due = new Date((since ?? now).getTime() + graceSeconds * 1000);
  const data = { owner, differences: differences.slice(0, longestList), differenceCount: differences.length };
  if (!since || now < due)
    return {
      ...settled(subject, "expected", `${owner} is expected to write: ${what}`, { owner, differences }),
      objectEvents: [expectation],
      requeueAt: due,
    };
  const drift: ObjectEvent = {
    regarding: cluster.object,
    type: "Warning",
    reason: `${about}Drift`,
    message: `${owner} has not written since ${since.toISOString()}: ${what} ${remedy}`,
    distinction,
    outcome: clusterOutcome("drift", context, distinction, { about, since: since.toISOString(), ...data }),
  };
  return {
    ...settled(subject, "drift", `${owner} has not written since ${since.toISOString()}: ${what}`, {
      owner,
      differences,
    }),
    objectEvents: [expectation, drift],
  };
}
