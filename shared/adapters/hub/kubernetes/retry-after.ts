import { setTimeout as sleep } from "node:timers/promises";
import { HubError } from "../../../ports/hub.ts";

/** An overloaded API server sets Retry-After, mostly to a second: this many retries are made here. */
const maxRetries = 4;
/** A longer wait is left to the queue: the message is received again later. */
const maxWaitSeconds = 3;

function waitSeconds(error: unknown): number | undefined {
  return error instanceof HubError && error.code === "TooManyRequests" ? error.retryAfterSeconds : undefined;
}

/**
 * Sends a request again after the time that the API server asks for, if that is short. A request that was rejected so
 * was not started: every method may be sent again. Throws the rejection when the signal aborts during the wait.
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
