import type { ObjectReference } from "../domain/kubernetes/object.ts";
import type { OutcomeEvent } from "../domain/plan/outcome-event.ts";
import type { FailedPart, Plan } from "../domain/plan/plan.ts";
import { sentence } from "../domain/text/redact.ts";
import type { ExternalPorts } from "../ports/external-ports.ts";
import { HubError } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import { applyPlan } from "./apply-plan.ts";
import { type Controller, defaultTimeoutSeconds, type ReconcileRequest } from "./controller.ts";
import { clockAheadSeconds } from "./reports.ts";

/** The result of a reconcile. `plan` is the plan that was applied last. */
export type ReconcileResult = Readonly<{
  plan: Plan;
  failed: readonly FailedPart[];
  written: readonly ObjectReference[];
  /** The topic's error if the topic rejected outcomes; absent if it accepted all outcomes. */
  unpublished?: unknown;
}>;

type ReconcilePorts<Needed extends keyof ExternalPorts = never> = Pick<
  Ports<Needed>,
  "hub" | "external" | "outcomes" | "log" | "now" | "queueNamed" | "correlationId"
>;

type Asked = Pick<ReconcileRequest, "parts"> &
  Readonly<{
    /** When a redelivered message was first sent. Outcomes of writes since then are published again. */
    repeatedSince?: Date | undefined;
    isAccepted?: (id: string) => boolean;
  }>;

const maxAttempts = 5;

function logPlan(plan: Plan, key: string, { log }: Pick<Ports, "log">): void {
  for (const { subject, verdict, reason } of plan.decisions)
    log({ event: "decided", key, subject, verdict, reason });
  for (const issue of plan.issues) log({ event: "issue", key, issue });
}

async function publish(
  events: readonly OutcomeEvent[],
  key: string,
  { outcomes, log, correlationId }: ReconcilePorts,
): Promise<Pick<ReconcileResult, "unpublished">> {
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
 * Brings one object to its desired state, and then publishes the outcomes of all writes, so that writes never wait for
 * the topic. Throws errors of observing and applying, and a `HubError` with code `Conflict` after five attempts.
 * Returns an error of the topic as `unpublished`.
 */
export async function reconcile<Needed extends keyof ExternalPorts>(
  controller: Controller<Needed>,
  key: string,
  ports: ReconcilePorts<NoInfer<Needed>>,
  asked: Asked = {},
): Promise<ReconcileResult> {
  const due: OutcomeEvent[] = [];
  let reconciled: ReconcileResult;
  try {
    reconciled = await untilApplied(controller, key, ports, asked, due);
  } catch (error) {
    await publish(due, key, ports);
    throw error;
  }
  return { ...reconciled, ...(await publish(due, key, ports)) };
}

async function untilApplied<Needed extends keyof ExternalPorts>(
  controller: Controller<Needed>,
  key: string,
  ports: ReconcilePorts<Needed>,
  { repeatedSince, isAccepted = () => false, ...asked }: Asked,
  due: OutcomeEvent[],
): Promise<ReconcileResult> {
  const { hub, external, now } = ports;
  // After a pause of the process, an older plan could start a cluster whose window has closed.
  const maxAgeMs = 2_000 * (controller.timeoutSeconds ?? defaultTimeoutSeconds);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const observed = now();
    const startedMs = performance.now();
    const plan = await controller.plan({
      hub,
      key,
      now: observed,
      // The elapsed time is added to `observed`, because the process's clock may have been set since then.
      clockAheadSeconds: () =>
        clockAheadSeconds(hub, new Date(observed.getTime() + performance.now() - startedMs)),
      external,
      ...asked,
    });
    const isOutdated = () => now().getTime() - observed.getTime() > maxAgeMs;
    logPlan(plan, key, ports);
    if (attempt === 1 && repeatedSince)
      due.push(...(plan.standing?.(repeatedSince) ?? []).filter(({ id }) => !isAccepted(id)));
    const { outcome, error, failed, written, outcomes } = await applyPlan(plan, key, ports, isOutdated);
    due.push(...outcomes);
    if (outcome === "failed") throw error;
    if (outcome === "applied" && !plan.again)
      return { plan, failed: [...failed, ...(plan.unread ?? [])], written };
  }
  throw new HubError(
    "Conflict",
    sentence`${controller.name} ${key}: another writer was faster ${maxAttempts} times`,
  );
}
