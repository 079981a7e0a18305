import { describe, expect, test } from "vitest";
import { isAbsent, isExpired, responseError, statusError } from "./api-error.ts";

const aStatus = (code: number, reason: string, message = "no") =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message });

describe("an unsuccessful response", () => {
  test.for([
    { status: 400, reason: "BadRequest", code: "Invalid", again: false },
    { status: 401, reason: "Unauthorized", code: "Unauthorized", again: true },
    { status: 403, reason: "Forbidden", code: "Invalid", again: false },
    { status: 404, reason: "NotFound", code: "NotFound", again: false },
    { status: 405, reason: "MethodNotAllowed", code: "Invalid", again: false },
    { status: 409, reason: "AlreadyExists", code: "AlreadyExists", again: false },
    { status: 409, reason: "Conflict", code: "Conflict", again: true },
    { status: 413, reason: "RequestEntityTooLarge", code: "Invalid", again: false },
    { status: 422, reason: "Invalid", code: "Invalid", again: false },
    { status: 429, reason: "TooManyRequests", code: "TooManyRequests", again: true },
    { status: 500, reason: "InternalError", code: "InternalError", again: true },
    { status: 500, reason: "ServerTimeout", code: "Timeout", again: true },
    { status: 503, reason: "ServiceUnavailable", code: "Unavailable", again: true },
    { status: 504, reason: "Timeout", code: "Timeout", again: true },
  ])(
    "When it is $status $reason, it should be $code, worth another try: $again",
    ({ status, reason, code, again }) => {
      const error = responseError({ status, text: aStatus(status, reason) }, "get Image/cluster");
      expect({ code: error.code, again: error.isRetryable }).toEqual({ code, again });
      expect(error.message).toBe("get Image/cluster: no");
    },
  );

  test.for([
    {
      message:
        'images is forbidden: User "a" cannot list resource "images" in API group "config.openshift.io"',
      code: "Forbidden",
    },
    { message: 'forbidden: User "a" cannot get path "/metrics"', code: "Forbidden" },
    {
      message: 'manifestworks "a" is forbidden: unable to create new content in namespace b',
      code: "Invalid",
    },
    { message: 'admission webhook "w" denied the request: [no-mirrors] not here', code: "Invalid" },
    { message: 'events "a" is forbidden: exceeded quota: q, requested: count/events=1', code: "Invalid" },
  ])("When a 403 says: $message, it should be $code", ({ message, code }) => {
    const error = responseError({ status: 403, text: aStatus(403, "Forbidden", message) }, "create a");
    expect(error.code).toBe(code);
  });

  test("When the path is unknown to the API server, it should be absent", () => {
    expect(isAbsent(responseError({ status: 404, text: "404 page not found\n" }, "list Gadget"))).toBe(true);
  });

  test.for([
    { title: "a proxy's page", status: 404, text: "<html>Not Found</html>" },
    { title: "nothing", status: 404, text: "" },
    { title: "an error of a load balancer", status: 503, text: "<html>no server is available" },
    { title: "a gateway's", status: 502, text: "bad gateway" },
  ])(
    "When $title comes with $status, it should be unavailable, never an absent object",
    ({ status, text }) => {
      const error = responseError({ status, text }, "get Image/cluster");
      expect({ code: error.code, isAbsent: isAbsent(error) }).toEqual({
        code: "Unavailable",
        isAbsent: false,
      });
      expect(error.message).toBe(`get Image/cluster: the response (${status}) is not from a Kubernetes API`);
    },
  );

  test.for([
    ["the header says so", "7", {}, 7],
    ["the Status says so", undefined, { retryAfterSeconds: 3 }, 3],
    ["both do", "7", { retryAfterSeconds: 3 }, 7],
    ["the header has a date", "Wed, 21 Oct 2026 07:28:00 GMT", {}, undefined],
  ] as const)("When $0, it should have the time to wait", ([, retryAfterHeader, details, seconds]) => {
    const text = JSON.stringify({
      kind: "Status",
      code: 429,
      reason: "TooManyRequests",
      message: "slow",
      details,
    });
    const header = retryAfterHeader === undefined ? {} : { retryAfterHeader };
    expect(responseError({ status: 429, text, ...header }, "get").retryAfterSeconds).toBe(seconds);
  });

  test("When a watch's version is too old, it should be expired", () => {
    expect(isExpired(statusError(JSON.parse(aStatus(410, "Expired")), "watch Image"))).toBe(true);
  });

  test("When the message holds a token, it should be redacted", () => {
    const text = aStatus(422, "Invalid", "spec.x: Invalid value: token: sha256~abcdefghijklmnopqrstuvwxyz");
    expect(responseError({ status: 422, text }, "update").message).not.toContain("abcdefghij");
  });
});
