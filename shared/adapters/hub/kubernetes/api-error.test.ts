import { describe, expect, test } from "vitest";
import { isAbsent, isExpired, responseError, statusError } from "./api-error.ts";

const aStatus = (code: number, reason: string, message = "no") =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message });

describe("an unsuccessful response", () => {
  test.for([
    [400, "BadRequest", "Invalid", false],
    [401, "Unauthorized", "Unauthorized", true],
    [403, "Forbidden", "Invalid", false],
    [404, "NotFound", "NotFound", false],
    [405, "MethodNotAllowed", "Invalid", false],
    [409, "AlreadyExists", "AlreadyExists", false],
    [409, "Conflict", "Conflict", true],
    [413, "RequestEntityTooLarge", "Invalid", false],
    [422, "Invalid", "Invalid", false],
    [429, "TooManyRequests", "TooManyRequests", true],
    [500, "InternalError", "InternalError", true],
    [500, "ServerTimeout", "Timeout", true],
    [503, "ServiceUnavailable", "Unavailable", true],
    [504, "Timeout", "Timeout", true],
  ] as const)("When it is $0 $1, it should be $2, worth another try: $3", ([status, reason, code, again]) => {
    const error = responseError({ status, text: aStatus(status, reason) }, "get Image/cluster");
    expect({ code: error.code, again: error.isRetryable }).toEqual({ code, again });
    expect(error.message).toBe("get Image/cluster: no");
  });

  test.for([
    [
      'images is forbidden: User "a" cannot list resource "images" in API group "config.openshift.io"',
      "Forbidden",
    ],
    ['forbidden: User "a" cannot get path "/metrics"', "Forbidden"],
    ['manifestworks "a" is forbidden: unable to create new content in namespace b', "Invalid"],
    ['admission webhook "w" denied the request: [no-mirrors] not here', "Invalid"],
    ['events "a" is forbidden: exceeded quota: q, requested: count/events=1', "Invalid"],
  ] as const)("When a 403 says: $0, it should be $1", ([message, code]) => {
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
