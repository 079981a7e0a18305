import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { firstSeen, type ObjectEvent } from "./object-events.ts";
import { type Action, type Decision, emptyPlan } from "./plan.ts";

/** The plan for a part of a function's work, such as one pool or the control plane of a hosted cluster. */
export type PartialPlan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  actions: readonly Action[];
  objectEvents: readonly ObjectEvent[];
  requeueAt?: Date;
  /** Set when the actions are only a first step: after the writes, the function must decide again. */
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

/** Returns one plan with the content of all parts, in their order, and with the earliest `requeueAt`. */
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

/** Whether a write by another owner is late. `since`: when it was first expected; `due`: when it will be late. */
export type Expectation = Readonly<{ isDrift: false; due: Date } | { isDrift: true; since: Date }>;

/**
 * Returns whether another owner's expected write is late. The grace period begins when the Event `expected` is first
 * written; a different Event begins a new period.
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
    existing: readonly KubernetesObject[];
    graceSeconds: number;
    now: Date;
  }>,
): Expectation {
  const since = firstSeen(expected, component, existing);
  const due = new Date((since ?? now).getTime() + graceSeconds * 1000);
  return since && now >= due ? { isDrift: true, since } : { isDrift: false, due };
}
