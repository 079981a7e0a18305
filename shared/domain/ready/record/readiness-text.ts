import { sentence } from "../../credentials/redact.ts";
import { age } from "../../text/human-readable.ts";
import type { FleetReadiness } from "./fleet-readiness.ts";

const words = { True: "yes", False: "no", Unknown: "unknown" } as const;

/** Returns whether mirrors hold the images of an upgrade: `Ready: no, 3 of 190 images are missing (checked 12m ago)`. */
export function readinessText({ ready, message, checked, stale }: FleetReadiness, now: Date): string {
  const when = [
    ...(checked === undefined ? [] : [sentence`checked ${age(new Date(checked), now)} ago`]),
    ...(stale ? ["stale"] : []),
  ].join(", ");
  return sentence`Ready: ${words[ready]}, ${message}${when && ` (${when})`}`;
}

/** The number of rows of a list, unless more are requested; the rest is a count. */
export const maxShown = 10;

/** Returns what is not ready, the warnings and the fix, a line each; what has no room is counted. */
export function readinessDetails(
  { notReady, problems, warnings, fix }: FleetReadiness,
  max = maxShown,
): readonly string[] {
  const named = [...problems, ...notReady.map(({ image, status }) => `${image}: ${status}`)];
  const more = named.length - max;
  return [
    ...named.slice(0, max),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...warnings,
    ...(fix === undefined ? [] : [sentence`Fix: ${fix}`]),
  ];
}
