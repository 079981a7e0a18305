import { expect, test } from "vitest";
import { HubError, type HubErrorCode } from "../../../ports/hub.ts";
import { withRetryAfter } from "./retry-after.ts";

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
