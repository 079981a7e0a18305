/**
 * The promise's result, or the signal's reason as soon as it aborts. The HTTP client heeds a signal only from when it
 * has a connection: a server that does not let us in has its own time.
 */
export function abortable<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
