import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { firstSeen, type ObjectEvent } from "./object-events.ts";
import { type Action, type Decision, emptyPlan } from "./plan.ts";

/** What one part of a function plans: for a pool, for the control plane of a hosted cluster. */
export type PartialPlan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  actions: readonly Action[];
  objectEvents: readonly ObjectEvent[];
  requeueAt?: Date;
  /** The actions are only a first step: the next ones are decided from their result. */
  again?: true;
}>;

export const nothing: PartialPlan = { ...emptyPlan, objectEvents: [] };

/** Returns a plan with one decision and no actions. */
export function settled(
  subject: string,
  verdict: string,
  reason: string,
  more: Pick<Decision, "owner" | "differences"> = {},
): PartialPlan {
  return { ...nothing, decisions: [{ subject, verdict, reason, ...more }] };
}

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

/** How long another owner has been expected to write something. */
export type Expectation = Readonly<{ isDrift: false; due: Date } | { isDrift: true; since: Date }>;

/**
 * Returns whether what another owner is expected to write is drift by now: when the Event about the expectation, which
 * records its beginning, is older than the grace period. Another Event starts another period.
 */
export function expectationOf(
  expected: ObjectEvent,
  {
    component,
    existing,
    graceSeconds,
    now,
  }: Readonly<{
    component: string;
    /** The function's Events on the hub. */
    existing: readonly KubernetesObject[];
    graceSeconds: number;
    now: Date;
  }>,
): Expectation {
  const since = firstSeen(expected, component, existing);
  const due = new Date((since ?? now).getTime() + graceSeconds * 1000);
  return since && now >= due ? { isDrift: true, since } : { isDrift: false, due };
}
