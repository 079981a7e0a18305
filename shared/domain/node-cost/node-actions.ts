import { sentence } from "../credentials/redact.ts";
import type { Cost } from "./cost.ts";
import { actionText, type FilePolicy, type PolicyAction } from "./disruption-policy.ts";

function has(actions: readonly PolicyAction[], type: PolicyAction["type"]): boolean {
  return actions.some((action) => action.type === type);
}

function serviceActions(actions: readonly PolicyAction[]): readonly PolicyAction[] {
  return actions.filter(({ type }) => type !== "None" && type !== "Drain");
}

/**
 * Returns the cost of a policy's actions. `isSafe` decides for `Special`, the one action that depends on the
 * content of the change. A single-node control plane is never drained: draining its only node would never end.
 */
export function costOfActions(
  actions: readonly PolicyAction[],
  { isSafe, isSingleNode }: Readonly<{ isSafe: boolean; isSingleNode: boolean }>,
): Cost {
  if (has(actions, "Reboot")) return "reboot";
  const drains = has(actions, "Drain") || (has(actions, "Special") && !isSafe);
  if (drains && !isSingleNode) return "drain";
  return serviceActions(actions).length > 0 ? "reload" : "none";
}

/** Returns the steps in the order of the node's daemon: it drains first, and a reboot makes all others unnecessary. */
export function stepsOf(
  cost: Cost,
  actions: readonly PolicyAction[],
  isSingleNode: boolean,
): readonly string[] {
  if (cost === "reboot") return isSingleNode ? ["reboot"] : ["drain", "reboot"];
  const services = serviceActions(actions).map(actionText);
  return [...new Set([...(cost === "drain" ? ["drain"] : []), ...services])];
}

/** Formats the actions of a policy as a sentence. */
export function policySentence({ path, actions }: FilePolicy): string {
  const asked = actions.filter(({ type }) => type !== "None").map(actionText);
  const what =
    asked.length > 0 ? asked.join(", ") : "nothing: the file is written and no service is notified";
  return sentence`The node disruption policy for ${path} asks for ${what}.`;
}
