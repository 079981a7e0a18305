import { expect, test } from "vitest";
import { serverClock } from "./server-clock.ts";

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
