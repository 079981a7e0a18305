import fc from "fast-check";
import { expect, test } from "vitest";
import { aWindow } from "./fixtures.ts";
import { nextOpenings, openingAt, openingsBefore } from "./openings.ts";

const at = (instant: string) => new Date(instant);

test("When a zone skips a whole day, it should open at the first moment of the next", () => {
  const spec = { timeZone: "Pacific/Apia", schedule: "0 12 * * *" };
  const [opening] = nextOpenings(aWindow(spec), at("2011-12-30T02:00:00Z"), 1);
  expect(opening?.start).toEqual(at("2011-12-30T10:00:00Z"));
});

const zones = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Kolkata",
  "UTC",
];
const minute = 60_000;

/** The first minute of a local day at which the clock shows this time or later, found by looking at each. */
function firstMoment(zone: string, day: Date, time: string): Date {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  const date = day.toISOString().slice(0, 10);
  let instant = day.getTime() - 15 * 60 * minute;
  for (; format.format(instant) < `${date} ${time}`; instant += minute);
  return new Date(instant);
}

test("Whatever the zone, the day and the time, it should open at the first moment that the clock shows them or later", () => {
  const days = fc.date({
    min: at("2025-01-01T00:00:00Z"),
    max: at("2028-12-31T00:00:00Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(fc.constantFrom(...zones), days, fc.nat(23), fc.nat(59), (timeZone, date, hour, minutes) => {
      const day = new Date(Math.floor(date.getTime() / 86_400_000) * 86_400_000);
      const time = `${String(hour).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
      const expected = firstMoment(timeZone, day, time);
      const window = aWindow({ timeZone, duration: "1m", schedule: `${minutes} ${hour} * * *` });
      expect(nextOpenings(window, expected, 1)[0]?.start).toEqual(expected);
      expect(openingAt(window, new Date(expected.getTime() - 1))).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

test("Whatever the window and the moment, its openings should be the times in which any of its starts keeps it open", () => {
  const schedules = ["0 2 * * *", "*/30 * * * *", "0 1-4 * * SUN", "15 2 1 * 1", "@daily", "30 1,2 29 * *"];
  const moments = fc.date({
    min: at("2026-01-01T00:00:00Z"),
    max: at("2027-06-01T00:00:00Z"),
    noInvalidDate: true,
  });
  const day = 24 * 60 * minute;
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...schedules),
      fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 301, max: 4000 })),
      moments,
      (timeZone, schedule, minutes, now) => {
        const window = aWindow({ timeZone, schedule, duration: `${minutes}m` });
        const first = Math.floor(now.getTime() / day) - 100;
        const days = Array.from({ length: 200 }, (_, index) => first + index).filter(window.schedule.opensOn);
        const starts = days.flatMap((of) =>
          window.schedule.times.map((time) => window.zone.instantOf(of * day + time).getTime()),
        );
        const expected: [number, number][] = [];
        for (const start of starts) {
          const last = expected.at(-1);
          if (last && start <= last[1]) last[1] = start + minutes * minute;
          else expected.push([start, start + minutes * minute]);
        }
        // What reaches the last day or the first may go on before or after it.
        const known = expected.filter(([from, to]) => from > (first + 5) * day && to < (first + 195) * day);
        const coming = known.filter(([, to]) => to > now.getTime());
        const found = nextOpenings(window, now, coming.length);
        if (known.length === expected.length)
          expect(found.map(({ start, end }) => [start.getTime(), end.getTime()])).toEqual(coming);
        const open = expected.find(([from, to]) => from <= now.getTime() && now.getTime() < to);
        expect(openingAt(window, now) !== undefined).toBe(open !== undefined);
      },
    ),
    { numRuns: 60 },
  );
});

test.for([
  { what: "two start before the end", end: "2026-02-03T12:00:00Z", count: 9, starts: ["02", "03"] },
  { what: "one starts exactly at the end", end: "2026-02-03T01:00:00Z", count: 9, starts: ["02"] },
  { what: "more start than are wanted", end: "2026-02-09T12:00:00Z", count: 3, starts: ["02", "03", "04"] },
  { what: "none is wanted", end: "2026-02-09T12:00:00Z", count: 0, starts: [] },
])("When $what, the openings before it should start on $starts", ({ end, count, starts }) => {
  const found = openingsBefore(aWindow(), new Date("2026-02-01T12:00:00Z"), new Date(end), count);
  expect(found.map(({ start }) => start.toISOString().slice(8, 10))).toEqual(starts);
});
