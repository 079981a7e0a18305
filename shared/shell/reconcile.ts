import type { Plan } from "../domain/plan.ts";
import { HubError } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import { applyPlan } from "./apply-plan.ts";
import type { Reaction } from "./reaction.ts";

/** Looks at one object before a busy object is left to a later delivery. */
const maxLooks = 5;

function tell(plan: Plan, key: string, { log }: Pick<Ports, "log">): void {
  for (const { subject, verdict, reason } of plan.decisions)
    log({ event: "decided", key, subject, verdict, reason });
  for (const issue of plan.issues) log({ event: "issue", key, issue });
}

/**
 * Brings one thing to its desired state: observe, decide, apply, and once more from the start whenever another
 * writer was faster. Answers the plan that was applied in the end. Throws a `HubError` with code `Conflict`
 * when the race is lost five times in a row, and whatever observing or applying throws.
 */
export async function reconcile(
  reaction: Reaction,
  key: string,
  ports: Pick<Ports, "hub" | "beyond" | "outcomes" | "log" | "now" | "queueNamed">,
): Promise<Plan> {
  for (let look = 1; look <= maxLooks; look++) {
    const plan = await reaction.plan(ports.hub, key, ports.now(), ports.beyond);
    tell(plan, key, ports);
    if ((await applyPlan(plan, key, ports)) === "applied") return plan;
  }
  throw new HubError("Conflict", `${reaction.name} ${key}: another writer was faster ${maxLooks} times`);
}
