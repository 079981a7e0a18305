/**
 * Returns the promise's result, or rejects with the signal's reason as soon as it aborts. The HTTP client respects a
 * signal only once it is connected: connecting has a timeout of its own.
 */
export function abortable<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
