import type { KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import type { FailedPart, Plan } from "../domain/plan.ts";
import { HubError } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import { applyPlan } from "./apply-plan.ts";
import type { Hint, Reaction } from "./reaction.ts";

/** What a reconcile came to: the plan that was applied in the end, and the reads and writes of single parts that failed. */
export type Reconciled = Readonly<{
  plan: Plan;
  failed: readonly FailedPart[];
  /** What that plan wrote on the hub, with the versions that it left. */
  written: readonly ObjectReference[];
}>;

/** Lost races, and steps of one plan, before a busy object is left to a later delivery. */
const maxLooks = 5;

function tell(plan: Plan, key: string, { log }: Pick<Ports, "log">): void {
  for (const { subject, verdict, reason } of plan.decisions)
    log({ event: "decided", key, subject, verdict, reason });
  for (const issue of plan.issues) log({ event: "issue", key, issue });
}

/**
 * Brings one thing to its desired state: observe, decide, apply, and once more from the start whenever another
 * writer was faster, or when the plan was a first step. Answers the plan that was applied in the end. Throws a
 * `HubError` with code `Conflict` when the race is lost five times in a row, and whatever observing or applying
 * throws.
 */
export async function reconcile(
  reaction: Reaction,
  key: string,
  ports: Pick<Ports, "hub" | "beyond" | "outcomes" | "log" | "now" | "queueNamed" | "correlationId">,
  hints?: readonly Hint[],
): Promise<Reconciled> {
  const isApart = (object: KubernetesObject) =>
    hints?.some((hint) => reaction.isAbout?.(hint, object) ?? false) ?? false;
  for (let look = 1; look <= maxLooks; look++) {
    const plan = await reaction.plan(ports.hub, key, ports.now(), ports.beyond, hints);
    tell(plan, key, ports);
    const { outcome, failed, written } = await applyPlan(plan, key, ports, isApart);
    if (outcome === "applied" && !plan.again) {
      const unwritten = failed.map(({ action: { object }, error }) => ({ object, error }));
      return { plan, failed: [...unwritten, ...(plan.unread ?? [])], written };
    }
  }
  throw new HubError("Conflict", `${reaction.name} ${key}: another writer was faster ${maxLooks} times`);
}
