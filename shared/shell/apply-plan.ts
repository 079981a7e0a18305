import { displayName, referenceTo } from "../domain/kubernetes/object.ts";
import type { Action, Plan } from "../domain/plan.ts";
import { type Hub, isLostRace } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";

async function write(hub: Hub, { verb, object }: Action): Promise<void> {
  switch (verb) {
    case "create":
      await hub.create(object);
      return;
    case "update":
      await hub.update(object);
      return;
    case "update-status":
      await hub.updateStatus(object);
      return;
    case "delete":
      await hub.delete(referenceTo(object));
  }
}

/**
 * Publishes a plan's outcomes, then applies every action. One that fails does not keep the others from being
 * tried: a pool must not wait for another pool's trouble. Answers `lost-race` when somebody else wrote an
 * object first, so that the caller observes again; any other failure is thrown after the last action.
 */
export async function applyPlan(
  plan: Plan,
  key: string,
  { hub, outcomes, log }: Pick<Ports, "hub" | "outcomes" | "log">,
): Promise<"applied" | "lost-race"> {
  if (plan.outcomes.length > 0) await outcomes.publish(plan.outcomes);
  for (const { type, subject, id } of plan.outcomes) log({ event: "published", key, type, subject, id });

  const failures: unknown[] = [];
  for (const action of plan.actions) {
    const object = displayName(referenceTo(action.object));
    try {
      await write(hub, action);
      log({ event: "written", key, verb: action.verb, object, reason: action.reason });
    } catch (error) {
      if (isLostRace(error)) log({ event: "conflict", key, object });
      failures.push(error);
    }
  }
  const trouble = failures.find((error) => !isLostRace(error));
  if (trouble) throw trouble;
  return failures.length > 0 ? "lost-race" : "applied";
}
