import { expect, test } from "vitest";
import { clockCheck } from "./hub-checks.ts";

const now = new Date("2026-03-01T02:00:00Z");
const cases = [
  { title: "agrees", seconds: 0, state: "ok", says: "agree" },
  { title: "is off by less than a response takes", seconds: -4, state: "ok", says: "agree" },
  { title: "is behind the hub's", seconds: -5, state: "note", says: "5 s behind" },
  { title: "is ahead of the hub's", seconds: 59, state: "note", says: "59 s ahead of" },
  { title: "is a minute ahead", seconds: 60, state: "note", says: "60 s ahead of" },
  {
    title: "is more than a minute ahead",
    seconds: 61,
    state: "problem",
    says: "opens no maintenance window",
  },
  { title: "is an hour behind", seconds: -3600, state: "problem", says: "3600 s behind" },
];

test.for(cases)("When the clock $title, it should report $state", ({ seconds, state, says }) => {
  const here = new Date(now.getTime() + seconds * 1000);
  expect(clockCheck(now, here)).toMatchObject({ state, found: expect.stringContaining(says) });
});

test("When the hub does not send its time, it should say how to compare", () => {
  expect(clockCheck(undefined, now)).toMatchObject({
    state: "note",
    remedy: expect.stringContaining("date -u"),
  });
});
