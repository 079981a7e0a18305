import { parseGoTime } from "../../go-compat/go-time.ts";

/** Whether a hosted cluster is paused, and until when. */
export type Pause = Readonly<{ isPaused: boolean; until?: Date }>;

/** Reads `spec.pausedUntil` as HyperShift does: true, or a future time. An unreadable value pauses nothing. */
export function pauseOf(pausedUntil: string | undefined, now: Date): Pause {
  if (pausedUntil === "true" || pausedUntil === "True") return { isPaused: true };
  const until = pausedUntil === undefined ? undefined : parseGoTime(pausedUntil);
  return until && until > now ? { isPaused: true, until } : { isPaused: false };
}
