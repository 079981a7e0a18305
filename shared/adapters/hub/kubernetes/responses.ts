import { setTimeout as sleep } from "node:timers/promises";
import { HubError } from "../../../ports/hub.ts";

/** Maximum retries of one request. An overloaded API server usually sets Retry-After to one second. */
const maxRetries = 4;
/** After a longer Retry-After the request fails, and the queue delivers its message again. */
const maxWaitSeconds = 3;

function waitSeconds(error: unknown): number | undefined {
  return error instanceof HubError && error.code === "TooManyRequests" ? error.retryAfterSeconds : undefined;
}

/**
 * Returns the response of `request`. It is repeated after a Retry-After of at most `maxWaitSeconds`: this is safe for
 * every method, since the server has not started a request that it rejected this way.
 */
export async function withRetryAfter<Response>(
  request: () => Promise<Response>,
  signal: AbortSignal,
): Promise<Response> {
  for (let retries = 0; ; retries++) {
    try {
      return await request();
    } catch (error) {
      const seconds = waitSeconds(error) ?? Number.POSITIVE_INFINITY;
      if (seconds > maxWaitSeconds || retries === maxRetries) throw error;
      await sleep(seconds * 1000, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}

/** The clock of an API server, computed from the `Date` headers of its responses. */
export type ServerClock = Readonly<{
  /** Records that a request is sent now. Returns a function that must be called with the `Date` of the response. */
  sent(): (date: string | string[] | undefined) => void;
  /** Returns the time on the server's clock. Undefined before the first response with a `Date`. */
  time(): Date | undefined;
}>;

/**
 * Returns the clock of a server. `elapsedMs` must not be affected by changes of this machine's clock. The error is at
 * most half of the response time plus half a second.
 */
export function serverClock(elapsedMs: () => number = () => performance.now()): ServerClock {
  let startedAtMs: number | undefined;
  return {
    sent() {
      const sentAtMs = elapsedMs();
      return (date) => {
        const wholeSeconds = typeof date === "string" ? Date.parse(date) : Number.NaN;
        if (!Number.isNaN(wholeSeconds)) startedAtMs = wholeSeconds + 500 - (sentAtMs + elapsedMs()) / 2;
      };
    },
    time: () => (startedAtMs === undefined ? undefined : new Date(startedAtMs + elapsedMs())),
  };
}
