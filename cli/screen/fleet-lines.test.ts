import { expect, test } from "vitest";
import { aFleet, now } from "./fixtures.ts";
import { fleetLines } from "./fleet-lines.ts";

const linesOf = (...[status, columns = 80, rows = 20]: [ReturnType<typeof aFleet>, number?, number?]) =>
  fleetLines(status, { columns, rows }, now).map(String);

test("When a fleet is shown, the bar and the table should have the most urgent clusters in front", () => {
  const fleet = aFleet({ done: 4, waiting: 1, pulling: 2, starting: 1, failed: 1, offline: 1, outside: 2 });
  expect(linesOf(fleet)).toEqual([
    "fleet/up  Precaching in progress",
    "  ###############xxx???==========.........  5/12 ended",
    "  4 done, 1 failed, 1 offline, 3 pulling, 2 outside its window, 1 waiting",
    "  no ETA yet, without 2 outside their window and 1 offline, timeout in 2m10s",
    "  CLUSTER     STATE     FOR  IMAGES   WHY",
    "  failed-1    failed    50s  -        PullFailed",
    "    unauthorized",
    "  offline-1   offline   50s  -        ClusterNotReached",
    "  pulling-1   pulling   50s  95/190",
    "  pulling-2   pulling   50s  95/190",
    "  starting-1  starting  50s  -        Claimed: It has a slot.",
    "  outside-1   waiting   -    -        fleet/nights is closed until 10:00 UTC (i…",
    "  outside-2   waiting   -    -        fleet/nights is closed until 10:00 UTC (i…",
    "  waiting-1   waiting   -    -",
    "  done-1      done      50s  190/190",
    "  done-2      done      50s  190/190",
    "  done-3      done      50s  190/190",
    "  done-4      done      50s  190/190",
  ]);
});

test.for([
  { fleet: aFleet({ pulling: 3 }), expected: "no ETA yet" },
  {
    fleet: aFleet({ done: 1, pulling: 3 }, { estimatedEnd: "2026-03-01T09:45:55Z" }),
    expected: "ETA 3m5s (09:45 UTC)",
  },
  {
    fleet: aFleet({ done: 1, pulling: 3 }, { estimatedEnd: "2026-03-01T09:40:00Z" }),
    expected: "ETA passed 2m50s ago (09:40 UTC)",
  },
  {
    fleet: aFleet({ done: 1, pulling: 1, offline: 2 }, { estimatedEnd: "2026-03-01T09:45:55Z" }),
    expected: "ETA 3m5s (09:45 UTC), without 2 offline, timeout in 2m10s",
  },
  { fleet: aFleet({ done: 5, offline: 2 }), expected: "waits for 2 offline, timeout in 2m10s" },
  { fleet: aFleet({ done: 5, outside: 1 }), expected: "waits for 1 outside its window" },
  { fleet: aFleet({ done: 5, failed: 1 }), expected: "all have ended" },
  { fleet: aFleet({ done: 5, incomplete: 2 }), expected: "all have ended, 2 of them incomplete" },
])(
  "When $fleet.clusters.length clusters are left in this state, it should say: $expected",
  ({ fleet, expected }) => {
    expect(linesOf(fleet)[3]?.trim()).toBe(expected);
  },
);

test.for([
  { rows: 20, last: "  waiting-3  waiting  -    -" },
  { rows: 8, last: "  and 7 more: 4 pulling, 3 waiting" },
  { rows: 5, last: "  waits" },
  { rows: 2, last: "  " },
])("When there are $rows rows, a fleet should fit and its last line should be $last", ({ rows, last }) => {
  const lines = linesOf(aFleet({ failed: 1, pulling: 5, waiting: 3 }), 60, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  if (rows >= 8) expect(lines.at(-1)).toBe(last);
});

test.for([20, 40, 80, 200])("When there are %i columns, no line should be longer", (columns) => {
  for (const line of linesOf(aFleet({ failed: 1, outside: 2, done: 30 }), columns, 12))
    expect(line.length).toBeLessThanOrEqual(columns);
});

test.for([
  { counts: { done: 1_000, failed: 1 }, bar: `${"#".repeat(39)}x` },
  { counts: { done: 1 }, bar: "#".repeat(40) },
  { counts: { pulling: 1, waiting: 1 }, bar: "=".repeat(20) + ".".repeat(20) },
])("When clusters are $counts, each state should have its part of the bar", ({ counts, bar }) => {
  expect(linesOf(aFleet(counts))[1]?.trim().split(" ")[0]).toBe(bar);
});
