import { setTimeout as sleep } from "node:timers/promises";

/** Pauses between attempts, each about twice the last one, and partly random, so that clients do not retry in step. */
export type BackOff = Readonly<{
  /** Waits for the time of the next pause, but at least for `atLeastMs`. An abort ends the wait without an error. */
  pause(signal: AbortSignal, atLeastMs?: number): Promise<void>;
  reset(): void;
}>;

export function backOff({ firstMs, maxMs }: Readonly<{ firstMs: number; maxMs: number }>): BackOff {
  let next = firstMs;
  return {
    async pause(signal, atLeastMs = 0) {
      const ms = Math.max(atLeastMs, next * (0.5 + Math.random() / 2));
      next = Math.min(next * 2, maxMs);
      await sleep(ms, undefined, { signal }).catch(() => undefined); // aborted
    },
    reset() {
      next = firstMs;
    },
  };
}
