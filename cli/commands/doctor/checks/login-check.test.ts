import { expect, test } from "vitest";
import { loginCheck } from "./login-check.ts";

const end = new Date("2027-02-20T09:00:00Z");

test.for([
  { now: "2026-11-22T09:00:00Z", state: "ok", found: "valid for 90 more days, until 2027-02-20" },
  { now: "2027-02-06T09:00:00Z", state: "ok", found: "valid for 14 more days" },
  { now: "2027-02-06T09:00:01Z", state: "note", found: "valid for 13 more days" },
  { now: "2027-02-18T10:00:00Z", state: "note", found: "valid for 1 more day," },
])(
  "When the login ends on 2027-02-20 and it is $now, the check should be $state",
  ({ now, state, found }) => {
    expect(loginCheck(end, new Date(now))).toMatchObject({ state, found: expect.stringContaining(found) });
  },
);

test("When a function's login has ended, it should be a problem under the function's name", () => {
  expect(loginCheck(end, end, "mirror-config")).toMatchObject({
    name: "login of mirror-config",
    state: "problem",
    found: "Its login was valid until 2027-02-20.",
  });
});
