import { expect, test } from "vitest";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, now, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { precachingView } from "../model/precaching-view.ts";
import { curveOf, forecastChart, ticksBetween } from "./charts.ts";

const minute = 60_000;
const total = 9 * 10 ** 9;
const done = { state: "Succeeded", reason: "Completed", bytesDone: total, bytesTotal: total } as const;

/** A cluster has its images, one pulls and one waits. */
const usual: Parameters<typeof aFleet>[0] = {
  a: { ...done, since: "2026-03-01T02:00:00Z" },
  b: { bytesTotal: total },
  c: undefined,
};

function chartOf(
  options: Parameters<typeof aFleet>[1],
  more: Parameters<typeof snapshotOf>[0] = [],
  records = usual,
): string {
  const { shown } = precachingView(snapshotOf([...aFleet(records, options), ...more]), {});
  if (!shown) throw new Error("the fleet is not shown");
  return String(forecastChart(shown, now));
}

test("When times are unordered or unknown, a curve should increase from what there is", () => {
  const times = ["2026-03-01T03:00:00Z", null, "2026-03-01T02:40:00Z"];
  expect(curveOf(times, { time: 0, count: 5 }).map(({ count }) => count)).toEqual([5, 6, 7]);
});

test.for([
  { minutes: 4, ticks: 5 },
  { minutes: 60, ticks: 5 },
  { minutes: 1_000, ticks: 3 },
  { minutes: 100_000, ticks: 4 },
])("When a chart spans $minutes minutes, its axis should have $ticks times", ({ minutes, ticks }) => {
  const found = ticksBetween(0, minutes * minute);
  expect(found).toHaveLength(ticks);
  expect(found.every((time) => time >= 0 && time <= minutes * minute)).toBe(true);
});

test("When a forecast is known, the chart should show it against the time of the rollout", () => {
  const begin = { "hubrelay.dev/enable-after-precaching": "2026-03-01T02:45:00Z" };
  const late = chartOf({ maxConcurrency: 1, annotations: { "hubrelay.dev/bandwidth": "100", ...begin } });
  expect(late).toContain('class="hr-soon"');
  expect(late).toContain('class="hr-slow"');
  expect(late).toContain("the rollout begins");
  expect(late).toContain("⚠ not all clusters are in time");
  const fast = chartOf({ annotations: { "hubrelay.dev/bandwidth": "100000", ...begin } });
  expect(fast).toContain("✓ in time");
});

test("When only a window restricts the clusters, its end should be what the forecast is compared with", () => {
  const open = windowObject({ schedule: "0 2 * * *", timeZone: "UTC", duration: "3h", clusterSelector: {} });
  const chart = chartOf({ annotations: { "hubrelay.dev/bandwidth": "100" } }, [open]);
  expect(chart).toContain("the window closes");
});

test("When speeds are unknown, the chart should have what has ended, and no number that is none", () => {
  const chart = chartOf({});
  expect(chart).toContain('class="hr-line"');
  expect(chart).not.toMatch(/hr-slow"|NaN|Infinity/);
  expect(chart).toContain("1 of 3 clusters had ended by Sun 2026-03-01 02:30 UTC");
  const begin = { "hubrelay.dev/enable-after-precaching": "2026-03-01T02:45:00Z" };
  expect(chartOf({ annotations: begin })).toMatch(/the rollout begins(?!.*in time)/s);
});

test("When no cluster has ended and the window opens after the rollout begins, the chart should say that all are late", () => {
  const later = windowObject({ schedule: "0 5 * * *", timeZone: "UTC", duration: "3h", clusterSelector: {} });
  const begin = { "hubrelay.dev/enable-after-precaching": "2026-03-01T04:00:00Z" };
  const chart = chartOf({ annotations: begin }, [later], { a: undefined, b: undefined });
  expect(chart).toContain("No cluster has ended yet");
  expect(chart).toContain(": 2 late");
});

test.for([
  { what: "a night", first: "2026-02-28T22:00:00Z", label: /data-time="[^"]+"[^>]*>\w{3} \d\d:\d\d</ },
  { what: "months", first: "2025-11-02T02:00:00Z", label: /data-date="[^"]+"[^>]*>\w{3} \d{4}-\d\d-\d\d</ },
])("When a chart is of $what, its axis should say which day a time is of", ({ first, label }) => {
  expect(chartOf({}, [], { ...usual, a: { ...done, since: first } })).toMatch(label);
});
