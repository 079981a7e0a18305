import { sentence } from "../../credentials/redact.ts";
import { counted } from "../../text/human-readable.ts";
import type { FleetStatus } from "./fleet-status.ts";
import { namesText } from "./reason-groups.ts";

/** Returns what a fleet's condition says, or how far its plan is. */
export function fleetMessage({ message, total }: FleetStatus): string {
  return message || (total === 0 ? "no cluster is planned" : "planned");
}

/** Clusters named in a line. */
const maxNamed = 3;

/** Returns the clusters that are left to an ImageBasedGroupUpgrade as a line; undefined if there are none. */
export function leftAloneText({ leftAlone = [] }: FleetStatus): string | undefined {
  const [one] = leftAlone;
  if (!one) return undefined;
  const first = leftAlone.slice(0, maxNamed).map(({ name }) => name);
  const names = namesText({ first, count: leftAlone.length });
  return sentence`${counted(leftAlone.length, "selected cluster")} left alone: ${names}. ${one.name}: ${one.reason}`;
}
