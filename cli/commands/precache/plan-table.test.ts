import { expect, test } from "vitest";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import { emptySpec } from "#shared/domain/precache-model/precaching-spec.ts";
import type { ForecastPlan } from "./plan-forecast.ts";
import { planTable } from "./plan-table.ts";

const unknown = { architecture: "amd64", totalBytes: null, missingBytes: null, site: "oslo" };

const planned = (names: readonly string[]): PrecachePlan => ({
  namespace: "ztp",
  name: "upgrade",
  spec: emptySpec,
  conditions: [],
  clusters: names.map((name) => ({ name, action: "precache", reason: "It is selected." })),
  issues: [],
  sizes: {
    clusters: names.map((name) => ({ ...unknown, name })),
    sites: [{ site: "oslo", clusters: names.length, missingBytes: null }],
    notCounted: [],
  },
});

const textOf = (names: readonly string[]) => planTable([planned(names)]).toString();

test("When no size is known, the plan should show a dash, not zero", () => {
  const text = textOf(["sno1"]);
  expect(text).toMatch(/sno1 +precache +- +- +It is selected/);
  expect(text).toMatch(/site oslo +1 cluster +-/);
  expect(text).not.toMatch(/\b0 ?[Bs]\b/);
});

test.for([
  { names: ["sno1"], says: "1 of 1 cluster pre-caches" },
  { names: ["sno1", "sno2"], says: "2 of 2 clusters pre-cache" },
])("When the plan has $names, it should say: $says", ({ names, says }) => {
  expect(textOf(names).split("\n")[0]).toBe(`ztp/upgrade: ${says}`);
});

const manyClusters = Array.from({ length: 3_500 }, (_, index) => `sno${index}`);
const ends = { done: 0, failed: 0, expected: 20, unknown: 0, clusters: 20 };
const expectedEnd = "2026-03-01T05:00:00Z";
const many: ForecastPlan = {
  ...planned([]),
  spec: {
    ...emptySpec,
    operatorsPackagesAndChannels: Array.from({ length: 40 }, (_, index) => `operator-${index}:stable`),
  },
  conditions: Array.from({ length: 4 }, (_, index) => ({
    type: `Condition${index}`,
    status: "True" as const,
    reason: "Reason",
    message: "message",
  })),
  clusters: manyClusters.map((name, index) => ({
    name,
    action: index % 7 === 0 ? "leave out" : "precache",
    reason: `Reason ${index % 30}.`,
  })),
  forecast: {
    ...ends,
    clusters: 3_500,
    expectedEnd,
    latestEnd: null,
    by: "2026-03-01T04:00:00.000Z",
    late: 3_000,
    atRisk: 0,
    sites: Array.from({ length: 175 }, (_, index) => ({
      ...ends,
      site: `site-${index}`,
      expectedEnd,
      latestEnd: null,
      late: 20,
      atRisk: 0,
    })),
    assumptions: ["one", "two", "three", "four", "five", "six"],
    byCluster: manyClusters.map((name, index) => ({
      name,
      site: null,
      state: index % 7 === 0 ? "unknown" : "expected",
      expectedEnd: index % 7 === 0 ? null : expectedEnd,
      latestEnd: null,
      reason: index % 7 === 0 ? `Unknown ${index % 30}.` : "",
    })),
    limits: ["maxConcurrency allows 200 at a time"],
  },
};

test("When a plan has 3,500 clusters, it should fit a screen of 60 lines, and list each only if requested", () => {
  const lines = planTable([many]).toString().split("\n");
  expect(lines.length).toBeLessThanOrEqual(60);
  expect(lines).toContain("  limited by: maxConcurrency allows 200 at a time");
  expect(lines.join("\n")).toMatch(/and 169 more sites/);
  const listed = planTable([many], true).toString();
  expect(manyClusters.filter((name) => !listed.includes(`  ${name} `))).toEqual([]);
});

test("When there are several plans, the first lines should say which are in time", () => {
  const judged = {
    ...planned(["sno1"]),
    name: "b",
    forecast: { ...Object(many.forecast), answer: "yes: all" },
  };
  const lines = planTable([planned(["sno1"]), judged])
    .toString()
    .split("\n");
  expect(lines.slice(0, 3)).toEqual(["ztp/b: yes: all", "", "ztp/upgrade: 1 of 1 cluster pre-caches"]);
  expect(lines.filter((line) => line.includes("yes: all"))).toHaveLength(1);
});
