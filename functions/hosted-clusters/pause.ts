/** Whether a hosted cluster is to be left alone, and until when. */
export type Pause = Readonly<{ isPaused: boolean; until?: Date }>;

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Reads `spec.pausedUntil` as HyperShift does: true, or a date to come. What it cannot read pauses nothing. */
export function pauseOf(pausedUntil: string | undefined, now: Date): Pause {
  if (pausedUntil === "true" || pausedUntil === "True") return { isPaused: true };
  const until = pausedUntil && instant.test(pausedUntil) ? new Date(pausedUntil) : undefined;
  return until && until > now ? { isPaused: true, until } : { isPaused: false };
}
