import { expect, test } from "vitest";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { precachingView } from "../model/precaching-view.ts";
import { endsChart, throughput } from "./charts.ts";

const minute = 60_000;

/** Returns the chart of a fleet whose clusters ended at these minutes past two, with their images. */
function chartOf(ended: readonly (readonly [minute: number, images: number])[]): string {
  const records = ended.map(([at, imagesDone], index) => [
    `sno${index}`,
    {
      state: "Succeeded" as const,
      since: new Date(Date.parse("2026-03-01T02:00:00Z") + at * minute).toISOString(),
      imagesDone,
      imagesTotal: 100,
    },
  ]);
  const { shown } = precachingView(snapshotOf(aFleet({ ...Object.fromEntries(records), waiting: {} })), {});
  if (!shown) throw new Error("the fleet is not shown");
  return String(endsChart(shown));
}

test("When clusters end, each should be in the part of the time in which it ended", () => {
  const ends = [
    { time: 0, ended: 1, images: 0 },
    { time: 10 * minute, ended: 4, images: 0 },
    { time: 30 * minute, ended: 6, images: 0 },
  ];
  const counts = throughput(ends);
  expect(counts.flatMap((count, index) => (count > 0 ? [[index, count]] : []))).toEqual([
    [0, 1],
    [10, 3],
    [29, 2],
  ]);
});

test("When clusters have ended with images, the chart should show and name both, and the most at a time", () => {
  const chart = chartOf([
    [0, 100],
    [10, 100],
    [15, 40],
    [15, 100],
  ]);
  expect(chart.match(/class="hr-line/g)).toHaveLength(2);
  expect(chart.match(/class="hr-rate"/g)).toHaveLength(30);
  expect(chart).toContain("dotted: their images, 340 of 500");
  expect(chart).toContain("at most 4.0 a minute");
});

test("When images are not known and only one cluster has ended, there should be neither their line nor bars", () => {
  const chart = chartOf([[0, 0]]);
  expect(chart.match(/class="hr-line/g)).toHaveLength(1);
  expect(chart).not.toContain("hr-rate");
  expect(chart).not.toContain("NaN");
});
