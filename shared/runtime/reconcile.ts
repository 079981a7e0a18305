import type { OutcomeEvent } from "../domain/events/outcome-event.ts";
import type { KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import type { FailedPart, Plan } from "../domain/plan/plan.ts";
import { HubError } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import { applyPlan } from "./apply-plan.ts";
import type { Controller, Hint } from "./controller.ts";

/** What a reconcile came to: the plan that was applied in the end, and the reads and writes of single parts that failed. */
export type Reconciled = Readonly<{
  plan: Plan;
  failed: readonly FailedPart[];
  /** What that plan wrote on the hub, with the versions that it left. */
  written: readonly ObjectReference[];
  /** Why the topic did not take the outcomes of what was written; the message has to come again until it does. */
  unpublished?: unknown;
}>;

type ReconcilePorts = Pick<
  Ports,
  "hub" | "external" | "outcomes" | "log" | "now" | "queueNamed" | "correlationId"
>;

/** Lost races, and steps of one plan, before a busy object is left to a later delivery. */
const maxLooks = 5;

function tell(plan: Plan, key: string, { log }: Pick<Ports, "log">): void {
  for (const { subject, verdict, reason } of plan.decisions)
    log({ event: "decided", key, subject, verdict, reason });
  for (const issue of plan.issues) log({ event: "issue", key, issue });
}

/** Publishes events, each id once; returns why the topic did not take them. */
async function publish(
  events: readonly OutcomeEvent[],
  key: string,
  { outcomes, log, correlationId }: ReconcilePorts,
): Promise<Pick<Reconciled, "unpublished">> {
  const correlation = correlationId === undefined ? {} : { correlationid: correlationId };
  const distinct = [...new Map(events.map((event) => [event.id, { ...event, ...correlation }])).values()];
  try {
    await outcomes.publish(distinct);
  } catch (error) {
    return { unpublished: error };
  }
  for (const { type, subject, id } of distinct) log({ event: "published", key, type, subject, id });
  return {};
}

/**
 * Brings one thing to its desired state: observe, decide, apply, and once more from the start whenever another
 * writer was faster, or when the plan was a first step. Then publishes the outcomes of all that was written: writes
 * never wait for the topic. With `repeatedSince`, when the message that comes again was first sent, the outcomes of what
 * the hub holds already are published as well. Returns the plan that was applied in the end. Throws a `HubError` with
 * code `Conflict` when the race is lost five times in a row, and whatever observing or applying throws.
 */
export async function reconcile(
  controller: Controller,
  key: string,
  ports: ReconcilePorts,
  hints?: readonly Hint[],
  repeatedSince?: Date,
): Promise<Reconciled> {
  const due: OutcomeEvent[] = [];
  let reconciled: Reconciled;
  try {
    reconciled = await untilApplied(controller, key, ports, { hints, repeatedSince, due });
  } catch (error) {
    await publish(due, key, ports);
    throw error;
  }
  return { ...reconciled, ...(await publish(due, key, ports)) };
}

/** Observes, decides and applies until nothing is left to do; the outcomes that are `due` are added to the list. */
async function untilApplied(
  controller: Controller,
  key: string,
  ports: ReconcilePorts,
  {
    hints,
    repeatedSince,
    due,
  }: Readonly<{
    hints: readonly Hint[] | undefined;
    repeatedSince: Date | undefined;
    due: OutcomeEvent[];
  }>,
): Promise<Reconciled> {
  const isApart = (object: KubernetesObject) =>
    hints?.some((hint) => controller.isAbout?.(hint, object) ?? false) ?? false;
  for (let look = 1; look <= maxLooks; look++) {
    const plan = await controller.plan(ports.hub, key, ports.now(), ports.external, hints);
    tell(plan, key, ports);
    if (look === 1 && repeatedSince) due.push(...(plan.standing?.(repeatedSince) ?? []));
    const { outcome, trouble, failed, written, outcomes } = await applyPlan(plan, key, ports, isApart);
    due.push(...outcomes);
    if (outcome === "failed") throw trouble;
    if (outcome === "applied" && !plan.again) {
      const unwritten = failed.map(({ action: { object }, error }) => ({ object, error }));
      return { plan, failed: [...unwritten, ...(plan.unread ?? [])], written };
    }
  }
  throw new HubError("Conflict", `${controller.name} ${key}: another writer was faster ${maxLooks} times`);
}
