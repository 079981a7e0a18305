import { expect, test } from "vitest";
import { upgradeForecast } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { aFleet } from "../../test/support/precache/forecast-fleet.ts";
import { keptForecasts } from "./kept-forecasts.ts";

const { cgu, surroundings } = aFleet(["a1"]);
const sources = { ...surroundings, reports: [], upgrades: [cgu] };

/** Counts forecasts, each of which takes so many seconds, at times in seconds. */
function counted(takes = 1) {
  let seconds = 0;
  let made = 0;
  const { forecastOf } = keptForecasts(
    (...given) => {
      seconds += takes;
      made++;
      return upgradeForecast(...given);
    },
    () => seconds * 1_000,
  );
  return (from: typeof sources, at: number, by?: Date, of = cgu) => {
    seconds = at;
    forecastOf(of, from, new Date("2026-03-01T00:00:00Z"), by);
    return made;
  };
}

test("When a forecast takes a second, it should be made again after twenty, whatever changes in between", () => {
  const forecasts = counted();
  expect([0, 2, 10, 20, 22].map((at) => forecasts(sources, at))).toEqual([1, 1, 1, 1, 2]);
});

test("When forecasts cost little, one should be made again ten seconds after the last", () => {
  const forecasts = counted(0);
  expect([0, 2, 9, 10].map((at) => forecasts(sources, at))).toEqual([1, 1, 1, 2]);
});

test("When there are other times to be done by, each should have its forecast", () => {
  const forecasts = counted();
  const days = [1, 2].map((day) => new Date(Date.UTC(2026, 3, day)));
  expect([...days, ...days].map((by) => forecasts(sources, 0, by))).toEqual([1, 2, 2, 2]);
});

test("When a hub has many upgrades, each should have its forecast, in a twentieth of the time together", () => {
  const forecasts = counted();
  const upgrades = Array.from({ length: 60 }, (_, index) => ({
    ...cgu,
    metadata: { ...cgu.metadata, name: `upgrade-${index}` },
  }));
  const all = { ...sources, upgrades };
  const countAt = (at: number) => upgrades.map((one) => forecasts(all, at, undefined, one)).at(-1);
  expect([countAt(0), countAt(50), countAt(1_200)]).toEqual([60, 60, 60]);
  expect(countAt(1_201)).toBe(120);
});

test("When a forecast fails, there should be none, and the reason should be known until one can be made", () => {
  let seconds = 0;
  let fails = true;
  const { forecastOf, problem } = keptForecasts(
    (...given) => {
      if (fails) throw new Error("no time is left");
      return upgradeForecast(...given);
    },
    () => seconds * 1_000,
  );
  const now = new Date("2026-03-01T00:00:00Z");
  expect(forecastOf(cgu, sources, now)).toBeUndefined();
  expect(problem()).toMatch(/\/.*: no time is left$/);
  fails = false;
  seconds = 61;
  forecastOf(cgu, sources, now);
  expect(problem()).toBeUndefined();
});
