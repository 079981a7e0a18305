import { expect, test } from "vitest";
import { age } from "./age.ts";

const now = new Date("2026-03-10T12:00:00Z");
const cases = [
  { since: "2026-03-10T12:00:00Z", shown: "0s" },
  { since: "2026-03-10T11:59:01Z", shown: "59s" },
  { since: "2026-03-10T11:59:00Z", shown: "1m" },
  { since: "2026-03-10T09:30:00Z", shown: "2h" },
  { since: "2026-03-07T12:00:01Z", shown: "2d" },
  { since: "2026-03-10T12:00:09Z", shown: "0s" },
];

test.for(cases)("When it was $since, it should be $shown ago", ({ since, shown }) => {
  expect(age(new Date(since), now)).toBe(shown);
});
