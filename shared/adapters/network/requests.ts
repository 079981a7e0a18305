import { AsyncLocalStorage } from "node:async_hooks";

/** Returns the seconds of a Retry-After header. A date in the header is ignored, since hardly any server sends one. */
export function retryAfterOf(header: string | string[] | undefined): { retryAfterSeconds?: number } {
  return typeof header === "string" && /^\d{1,6}$/.test(header) ? { retryAfterSeconds: Number(header) } : {};
}

/** Returns the whole body. If it has more than `maxBytes`, throws the error that `tooLong` returns. */
export async function wholeBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the promise's result, or rejects as soon as the signal aborts. undici ignores a signal while connecting. */
export function abortable<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs the work of a batch and returns its result. Once the signal aborts, all requests of the work fail. */
export function runUntil<Result>(signal: AbortSignal, work: () => Result): Result {
  return signals.run(signal, work);
}

/** Reports whether the current batch has failed or timed out. */
export function isBatchOver(): boolean {
  return signals.getStore()?.aborted ?? false;
}

/** Returns a signal that aborts when one of these signals aborts, or when the current batch fails or times out. */
export function withBatch(...others: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any([signals.getStore(), ...others].filter((signal) => signal !== undefined));
}
