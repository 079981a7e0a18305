import { expect, test } from "vitest";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { aFleet, issue, now } from "./fixtures.ts";
import { type Change, type ScreenState, screenLines } from "./screen.ts";

const problem: Issue = {
  ...issue,
  file: "hub/team.yaml",
  line: 9,
  column: 7,
  path: "spec.imageDigestMirrors[0].source",
  message: "invalid format",
  remedy: "Remove the tag.",
};
const change = (verdict: string, details: readonly string[] = []): Change => ({
  at: new Date("2026-03-01T09:42:00Z"),
  what: "hub/team.yaml",
  colour: "green",
  verdict,
  reason: "It waits until 2026-03-01T09:43:00Z.",
  details,
});
const state: ScreenState = {
  now,
  watched: "hub, a copy of examples/fleet",
  command: "hubrelay",
  activity: "idle",
  hints: ["Press Ctrl-C to end."],
  fleets: [],
  problems: [],
  changes: [],
};
const linesOf = (changed: Partial<ScreenState>, columns = 80, rows = 24) =>
  screenLines({ ...state, ...changed }, { columns, rows }).map(String);

test("When nothing has happened yet, the screen should say what is watched and what is running", () => {
  expect(linesOf({})).toEqual([
    "hubrelay  09:42:50Z  hub, a copy of examples/fleet  idle",
    "",
    "Press Ctrl-C to end.",
  ]);
});

test("When mirrors have changed, each change should be one block with its file, verdict, reason and lines", () => {
  const changes = [change("worker: held"), change("worker: update", ["docker.io added: + blocked"])];
  expect(linesOf({ problems: [problem], changes })).toEqual([
    "hubrelay  09:42:50Z  hub, a copy of examples/fleet  idle",
    "",
    "error  hub/team.yaml:9:7  ImageDigestMirrorSet/team spec.imageDigestMirrors[0].…",
    "    invalid format",
    "    Fix: Remove the tag.",
    "",
    "09:42:00Z  hub/team.yaml  worker: held",
    "    It waits until 09:43 UTC (in 10s).",
    "09:42:00Z  hub/team.yaml  worker: update",
    "    It waits until 09:43 UTC (in 10s).",
    "    docker.io added: + blocked",
    "",
    "Press Ctrl-C to end.",
  ]);
});

test("When a fix is longer than a line, it should be whole, on several", () => {
  const remedy =
    "Write the registry and the repository without a tag, and name the tag in the ImageTagMirrorSet.";
  expect(linesOf({ problems: [{ ...problem, remedy }] }).slice(4, 6)).toEqual([
    "    Fix: Write the registry and the repository without a tag, and name the tag",
    "    in the ImageTagMirrorSet.",
  ]);
});

test("When mirrors lack images, a fleet should say so in one line", () => {
  const readiness = {
    ready: "False",
    reason: "ImagesNotReady",
    message: "3 of 190 images are missing",
    checked: "2026-03-01T09:30:00Z",
    imagesTotal: 190,
    notReadyCount: 3,
    notReady: [],
    problems: [],
    warnings: [],
  } as const;
  const lines = linesOf({ fleets: [{ ...aFleet({ waiting: 2 }), readiness }] });
  expect(lines.filter((line) => line.includes("Ready:"))).toEqual([
    "  Ready: no, 3 of 190 images are missing (checked 12m ago)",
  ]);
});

test("When there are more errors than fit, the others should be counted", () => {
  const lines = linesOf({ problems: [problem, problem, { ...problem, severity: "warning" }] });
  expect(lines.filter((line) => line.startsWith("error"))).toHaveLength(1);
  expect(lines).toContain("1 more error, 1 more warning: hubrelay validate shows them");
});

const busy: Partial<ScreenState> = {
  problems: [problem, problem],
  fleets: [aFleet({ done: 100, failed: 20, pulling: 40, outside: 3 }), aFleet({ waiting: 5 })],
  changes: Array.from({ length: 20 }, (_, index) =>
    change(`change ${index}`, Array(9).fill("x".repeat(300))),
  ),
};

test.for([
  [80, 24],
  [120, 40],
  [40, 12],
  [20, 5],
  [200, 3],
] as const)("When the terminal has %i columns and %i rows, the screen should fit", ([columns, rows]) => {
  const lines = linesOf(busy, columns, rows);
  expect(lines.length).toBeLessThan(rows);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
});

test.for([
  { columns: 80, rows: 24, upgrades: 1 },
  { columns: 120, rows: 40, upgrades: 2 },
])(
  "When much happens on $columns × $rows, errors, $upgrades fleets and the newest change should be visible",
  ({ columns, rows, upgrades }) => {
    const text = linesOf(busy, columns, rows).join("\n");
    expect(text).toMatch(/^error/m);
    expect(text).toMatch(/failed-1 +failed/);
    expect(text.match(/^fleet\/up/gm)).toHaveLength(upgrades);
    expect(text.includes("1 more upgrades: hubrelay precache status")).toBe(upgrades === 1);
    expect(text).toContain("change 19");
    expect(text).toContain("Press Ctrl-C to end.");
  },
);
