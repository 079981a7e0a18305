import { AsyncLocalStorage } from "node:async_hooks";

const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs the work of a batch; the hub requests that it makes, now or later, end when the signal aborts. */
export function runUntil<Result>(signal: AbortSignal, work: () => Result): Result {
  return signals.run(signal, work);
}

/** Returns the signal of the batch that the caller works for; undefined outside a batch. */
export function batchSignal(): AbortSignal | undefined {
  return signals.getStore();
}
