import { expect, test } from "vitest";
import * as z from "zod";
import { instruments } from "#shared/adapters/telemetry/metrics.ts";
import { prometheusMetrics } from "#shared/adapters/telemetry/prometheus-metrics.ts";
import dashboard from "../examples/dashboards/hubrelay.json" with { type: "json" };

const panel = z.object({
  id: z.number(),
  title: z.string().min(1),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(z.object({ expr: z.string().min(1) })).default([]),
});
const panels = z.array(panel).parse(dashboard.panels);
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
const exposed = await prometheusMetrics().text();

/** Returns the names of metrics, without the suffixes of a histogram's series. */
const namesIn = (expr: string) =>
  [...expr.matchAll(/\b(?:hubrelay|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|count|sum)$/, ""),
  );

test.for(queries)("When the panel $title queries $expr, every metric in it should exist", ({ expr }) => {
  expect(namesIn(expr).length).toBeGreaterThan(0);
  expect(namesIn(expr).filter((name) => !exposed.includes(`# TYPE ${name} `))).toEqual([]);
});

test.for(queries)("When the panel $title groups $expr by labels, the metric should have them", ({ expr }) => {
  const [name] = namesIn(expr);
  const instrument = Object.entries(instruments).find(([known]) => known === name)?.[1];
  if (!instrument) return expect(expr).not.toContain(" by ("); // a metric of the process has no labels of hubrelay
  const has: readonly string[] = [
    "le",
    "function",
    ...("labels" in instrument ? (instrument.labels ?? []) : []),
  ];
  const [, grouped = ""] = / by \(([^)]+)\)/.exec(expr) ?? [];
  const missing = grouped.split(/,\s*/).filter((label) => label !== "" && !has.includes(label));
  expect(missing).toEqual([]);
});

test("When the dashboard is read, it should have every metric of the log except that of the tick", () => {
  const shown = new Set(queries.flatMap(({ expr }) => namesIn(expr)));
  // The tick is a job of seconds, which is not scraped: on Lambda it is CloudWatch's.
  const expected = Object.keys(instruments).filter((name) => name !== "hubrelay_forward_silent_seconds");
  expect(expected.filter((name) => !shown.has(name))).toEqual([]);
});

test("When panels are laid out, ids and positions should be unique", () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});
