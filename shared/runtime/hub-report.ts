import type { Hub } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";

/** Returns by how many seconds this time is ahead of the hub's clock; undefined where that is not known. */
export function clockAheadSeconds({ time }: Pick<Hub, "time">, now: Date): number | undefined {
  const hubTime = time?.();
  return hubTime && (now.getTime() - hubTime.getTime()) / 1000;
}

/**
 * Logs by how much own clock is ahead of the hub's, by its last response, and for how long the process may still log
 * in to the hub; nothing of what is not known, or has no end.
 */
export async function reportHub({
  hub,
  loginEnd = async () => undefined,
  log,
  now,
}: Pick<Ports, "hub" | "loginEnd" | "log" | "now">): Promise<void> {
  const aheadSeconds = clockAheadSeconds(hub, now());
  if (aheadSeconds !== undefined) log({ event: "clock", aheadSeconds });
  const end = await loginEnd();
  if (end) log({ event: "login", remainingSeconds: Math.floor((end.getTime() - now().getTime()) / 1000) });
}
