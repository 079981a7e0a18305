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

/** The clock of an API server, as its responses tell. */
export type ServerClock = Readonly<{
  /** Returns what to call with the `Date` of the response to a request that is sent now. */
  sent(): (date: string | string[] | undefined) => void;
  /** Returns the server's time now; undefined before a response had one. */
  time(): Date | undefined;
}>;

/**
 * Returns the clock of a server, which `elapsedMs` carries on from its last response: that does not jump with the clock of
 * this machine. It is wrong by at most half of the time that the response took, and half a second.
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
