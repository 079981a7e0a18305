import { expect, test } from "vitest";
import { timeUntil, withRelativeTimes } from "./human-readable.ts";

const now = new Date("2026-03-01T09:42:55Z");

test.for([
  { text: "closed until 2026-03-01T09:46:00Z.", shown: "closed until 09:46 UTC (in 3m5s)." },
  {
    text: "2026-03-01T09:42:00.0Z to 2026-03-01T11:42:55Z",
    shown: "09:42 UTC (55s ago) to 11:42 UTC (in 2h)",
  },
  { text: "2026-13-01T09:42:00Z", shown: "2026-13-01T09:42:00Z" },
  { text: "no time", shown: "no time" },
])('When a text says "$text", the screen should show "$shown"', ({ text, shown }) => {
  expect(withRelativeTimes(text, now)).toBe(shown);
});

test("When a time is estimated, the screen should show how long it takes and the time, or that it has passed", () => {
  expect(timeUntil(new Date("2026-03-01T09:46:00Z"), now)).toBe("3m5s (09:46 UTC)");
  expect(timeUntil(new Date("2026-03-01T09:00:00Z"), now)).toBe("passed 42m55s ago (09:00 UTC)");
});
