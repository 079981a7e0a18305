import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aWindow } from "./fixtures.ts";
import { nextOpenings, openingAt, openingsBefore } from "./openings.ts";

const at = (instant: string) => new Date(instant);
const texts = (openings: readonly { start: Date; end: Date }[]) =>
  openings.map(({ start, end }) => `${start.toISOString()}/${end.toISOString()}`);
const starts = (spec: Readonly<Record<string, unknown>>, now: string, count: number) =>
  nextOpenings(aWindow(spec), at(now), count).map(({ start }) =>
    start.toISOString().replace(":00.000Z", "Z"),
  );

describe("when a window opens", () => {
  test.for([
    {
      name: "an opening begins this moment",
      now: "2026-02-01T01:00:00Z",
      openings: [
        "2026-02-01T01:00:00.000Z/2026-02-01T03:30:00.000Z",
        "2026-02-02T01:00:00.000Z/2026-02-02T03:30:00.000Z",
      ],
    },
    {
      name: "an opening is running",
      now: "2026-02-01T03:29:59.999Z",
      openings: [
        "2026-02-01T01:00:00.000Z/2026-02-01T03:30:00.000Z",
        "2026-02-02T01:00:00.000Z/2026-02-02T03:30:00.000Z",
      ],
    },
    {
      name: "an opening ends this moment",
      now: "2026-02-01T03:30:00Z",
      openings: [
        "2026-02-02T01:00:00.000Z/2026-02-02T03:30:00.000Z",
        "2026-02-03T01:00:00.000Z/2026-02-03T03:30:00.000Z",
      ],
    },
  ])("When $name, it should list that opening and the next", ({ now, openings }) => {
    expect(texts(nextOpenings(aWindow(), at(now), 2))).toEqual(openings);
  });

  test.for([
    ["the hour is skipped", "Europe/Berlin", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:00Z"],
    ["the hour comes twice", "Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30Z"],
    [
      "half an hour is skipped",
      "Australia/Lord_Howe",
      "15 2 * * *",
      "2026-10-03T12:00:00Z",
      "2026-10-03T15:30Z",
    ],
    ["midnight is skipped", "America/Santiago", "0 0 * * *", "2026-09-05T12:00:00Z", "2026-09-06T04:00Z"],
    ["a whole day is skipped", "Pacific/Apia", "0 12 * * *", "2011-12-30T02:00:00Z", "2011-12-30T10:00Z"],
  ] as const)("When $0 ($1), $2 should open at $4", ([, zone, schedule, now, start]) => {
    expect(starts({ timeZone: zone, schedule }, now, 1)).toEqual([start]);
  });

  test("When a skipped hour is one of several of a schedule, its opening should not be lost", () => {
    const spec = { schedule: "30 1,2 * * *", duration: "10m" };
    expect(starts(spec, "2026-03-28T12:00:00Z", 3)).toEqual([
      "2026-03-29T00:30Z",
      "2026-03-29T01:00Z",
      "2026-03-29T23:30Z",
    ]);
  });

  test("When several times of a schedule are skipped together, it should open once", () => {
    const spec = { schedule: "0,30 2,3 * * *", duration: "10m" };
    expect(starts(spec, "2026-03-28T12:00:00Z", 3)).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-29T01:30Z",
      "2026-03-30T00:00Z",
    ]);
  });

  test("When the clock is set back while it is open, its duration should be the time that passes", () => {
    const [opening] = nextOpenings(aWindow({ duration: "4h" }), at("2026-10-24T12:00:00Z"), 1);
    expect(opening && texts([opening])).toEqual(["2026-10-25T00:00:00.000Z/2026-10-25T04:00:00.000Z"]);
  });

  test("When it opens once in years, it should still be found", () => {
    expect(starts({ schedule: "0 0 29 2 *", timeZone: "UTC" }, "2026-03-01T00:00:00Z", 1)).toEqual([
      "2028-02-29T00:00Z",
    ]);
  });
});

describe("freezes", () => {
  const freeze = { from: "2026-12-24", to: "2026-12-26" };

  test("When openings start on a date of a freeze, its last included, they should be left out", () => {
    const spec = { exclusions: [freeze] };
    expect(starts(spec, "2026-12-23T00:00:00Z", 3)).toEqual([
      "2026-12-23T01:00Z",
      "2026-12-27T01:00Z",
      "2026-12-28T01:00Z",
    ]);
  });

  test("When the local date differs from the one in UTC, the local one should count", () => {
    const spec = { exclusions: [freeze], timeZone: "Asia/Tokyo", schedule: "30 0 * * *" };
    expect(starts(spec, "2026-12-22T00:00:00Z", 2)).toEqual(["2026-12-22T15:30Z", "2026-12-26T15:30Z"]);
  });

  test("When an opening has begun before a freeze, it should run to its end", () => {
    const window = aWindow({ schedule: "0 22 * * *", duration: "6h", exclusions: [freeze] });
    expect(openingAt(window, at("2026-12-24T01:00:00Z"))?.end).toEqual(at("2026-12-24T03:00:00Z"));
    expect(openingAt(window, at("2026-12-24T21:30:00Z"))).toBeUndefined();
  });

  test("When freezes meet, the first opening after both should be found", () => {
    const spec = {
      exclusions: [freeze, { from: "2026-12-27", to: "2027-01-10" }],
      schedule: "* * * * *",
      duration: "1m",
    };
    expect(starts(spec, "2026-12-25T00:00:00Z", 1)).toEqual(["2027-01-10T23:00Z"]);
  });

  test("When a freeze has no end, there should be no opening", () => {
    expect(
      starts({ exclusions: [{ from: "2026-01-01", to: "9999-12-31" }] }, "2026-12-25T00:00:00Z", 2),
    ).toEqual([]);
  });
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
