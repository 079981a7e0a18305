import { AsyncLocalStorage } from "node:async_hooks";

const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs the work of a batch; the requests that it makes, now or later, end when the signal aborts. */
export function runUntil<Result>(signal: AbortSignal, work: () => Result): Result {
  return signals.run(signal, work);
}

/** Reports whether the batch that the caller works for has failed or timed out. */
export function isBatchOver(): boolean {
  return signals.getStore()?.aborted ?? false;
}

/** Returns a signal that aborts with any of these, or with the batch that the caller works for. */
export function withBatch(...others: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any([signals.getStore(), ...others].filter((signal) => signal !== undefined));
}
