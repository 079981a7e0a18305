import { expect, test } from "vitest";
import { HubError, type HubErrorCode } from "../../../ports/hub.ts";
import { serverClock, withRetryAfter } from "./responses.ts";

const noon = "Sun, 01 Mar 2026 12:00:00 GMT";

/** Returns a clock after one response with this `Date`, which took four seconds, and a minute later. */
function aMinuteAfter(date: string | string[] | undefined) {
  let elapsed = 1_000_000;
  const clock = serverClock(() => elapsed);
  const note = clock.sent();
  elapsed += 4_000;
  note(date);
  elapsed += 60_000;
  return clock;
}

test("When a response has a date, the clock should go on from the middle of the request and of that second", () => {
  expect(aMinuteAfter(noon).time()).toEqual(new Date("2026-03-01T12:01:02.500Z"));
});

test.for([undefined, "yesterday", [noon, noon]])(
  "When the date is %j, the time should not be known",
  (date) => {
    expect(aMinuteAfter(date).time()).toBeUndefined();
  },
);

test("When a later response has none, the clock should go on", () => {
  const clock = aMinuteAfter(noon);
  clock.sent()(undefined);
  expect(clock.time()).toEqual(new Date("2026-03-01T12:01:02.500Z"));
});

const never = new AbortController().signal;

/** Sends a request that is refused so many times; returns how often it was sent, and whether it succeeded in the end. */
async function sent(code: HubErrorCode, retryAfterSeconds: number | undefined, refusals: number) {
  let requests = 0;
  const request = async () => {
    requests++;
    if (requests <= refusals)
      throw new HubError(code, "refused", retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    return "done";
  };
  const end = await withRetryAfter(request, never).catch((error: unknown) => error);
  return { requests, succeeded: end === "done" };
}

test.for([
  { code: "TooManyRequests", seconds: 0, refusals: 0, requests: 1, succeeded: true },
  { code: "TooManyRequests", seconds: 0, refusals: 1, requests: 2, succeeded: true },
  { code: "TooManyRequests", seconds: 0, refusals: 4, requests: 5, succeeded: true },
  { code: "TooManyRequests", seconds: 0, refusals: 5, requests: 5, succeeded: false },
  { code: "TooManyRequests", seconds: 4, refusals: 1, requests: 1, succeeded: false },
  { code: "TooManyRequests", seconds: undefined, refusals: 1, requests: 1, succeeded: false },
  { code: "Unavailable", seconds: 0, refusals: 1, requests: 1, succeeded: false },
] as const)(
  "When $refusals requests are refused with $code and a wait of $seconds s, $requests should be sent",
  async ({ code, seconds, refusals, ...expected }) => {
    expect(await sent(code, seconds, refusals)).toEqual(expected);
  },
);

test("When the signal aborts during the wait, the rejection should be thrown and nothing sent again", async () => {
  const refusal = new HubError("TooManyRequests", "refused", { retryAfterSeconds: 3 });
  let requests = 0;
  const request = () => {
    requests++;
    return Promise.reject(refusal);
  };
  await expect(withRetryAfter(request, AbortSignal.abort())).rejects.toBe(refusal);
  expect(requests).toBe(1);
});
