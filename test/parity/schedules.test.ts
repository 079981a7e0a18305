import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSchedule } from "#shared/domain/windows/schedule.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";

/*
 * robfig/cron reads the schedules of Kubernetes' CronJobs: a schedule that it accepts has to mean the same in a
 * MaintenanceWindow. hubrelay reads more than that library (`SAT#1`, `L`, 7 for Sunday), and refuses what only it takes
 * for a schedule: a star with a range, a sign before a number, empty items, and a time zone, for which there is a field.
 */

let cron: Oracle;
beforeAll(async () => {
  cron = await startOracle("cron");
});
afterAll(async () => {
  await cron[Symbol.asyncDispose]();
});

const daySeconds = 24 * 60 * 60;
const firstDay = Date.UTC(2026, 0, 1) / 1000 / daySeconds;

/** The first times of 2026 at which it opens, in seconds since 1970; null if it is refused. */
function timesIn2026(text: string): readonly number[] | null {
  const read = readSchedule(text);
  if ("problem" in read) return null;
  const { times, opensOn } = read.schedule;
  const days = Array.from({ length: 365 }, (_, index) => firstDay + index).filter(opensOn);
  return days.flatMap((day) => times.map((time) => day * daySeconds + time / 1000)).slice(0, 400);
}

/** Lists of a field whose values are from `min` to `max`, some by name. The library accepts all of them. */
function fieldOf(min: number, max: number, names: readonly string[] = []): fc.Arbitrary<string> {
  const ends = fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)].map((value) => names[value - min] ?? String(value)));
  const range = ends.map((both) => both.join("-"));
  const one = ends.map(([value = ""]) => value);
  const star = fc.constantFrom("*", "?");
  const same = one.map((value) => `${value}-${value.toLowerCase()}`);
  const step = fc.constantFrom("", "", "", "/1", "/01", "/2", "/3", "/7", "/100");
  const item = fc.tuple(fc.oneof(star, one, range, same), step).map((parts) => parts.join(""));
  return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(","));
}

const schedules = fc.oneof(
  {
    weight: 50,
    arbitrary: fc
      .tuple(
        fc.oneof(fc.constant("0"), fieldOf(0, 59)),
        fc.oneof(fc.constant("22"), fieldOf(0, 23)),
        fieldOf(1, 31),
        fc.oneof(
          fc.constant("*"),
          fieldOf(1, 12, "JAN FEB mar APR MAY JUN JUL aug SEP OCT NOV DEC".split(" ")),
        ),
        fieldOf(0, 6, "SUN MON TUE wed THU FRI SAT".split(" ")),
      )
      .map((fields) => fields.join(" ")),
  },
  fc.constantFrom("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"),
);

test("Whatever schedule Kubernetes' cron library accepts, the window should open at the same times", async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async (text) => {
      const expected = await cron.ask(text);
      expect(expected).not.toBeNull();
      expect(timesIn2026(text)).toEqual(expected);
    }),
    {
      numRuns: 1500,
      examples: [["0\t2  * * 1-5/2"], ["0 22 5,* * FRI"], ["0 22 13 * 0-6"], ["*/90 2 * * *"]],
    },
  );
});

test.for([
  "CRON_TZ=UTC 0 2 * * *",
  "TZ=UTC @daily",
  "@every 1h",
  "*-5 2 * * *",
  "+5 2 * * *",
  "1,,2 2 * * *",
])("When only that library takes %s for a schedule, it should be refused", async (text) => {
  expect(await cron.ask(text)).not.toBeNull();
  expect(timesIn2026(text)).toBeNull();
});
