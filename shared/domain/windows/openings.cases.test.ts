import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { aWindow } from "./fixtures.ts";
import { nextOpenings, nextStart, openingAt } from "./openings.ts";

const cases: readonly Readonly<{
  about: string;
  spec: Readonly<Record<string, unknown>>;
  now: string;
  openings: readonly string[];
}>[] = parse(readFileSync(new URL("openings.cases.yaml", import.meta.url), "utf8"));

test.for(cases)("$about: from $now on it should open at $openings", ({ spec, now, openings }) => {
  const window = aWindow(spec);
  const at = new Date(now);
  const found = nextOpenings(window, at, openings.length);
  const shown = (instant: Date) => instant.toISOString().replace(".000Z", "Z");
  expect(found.map(({ start, end }) => `${shown(start)} ${shown(end)}`)).toEqual(openings);
  expect(openingAt(window, at)).toEqual(found.findLast(({ start }) => start <= at));
  const later = found.find(({ start }) => start > at);
  if (later) expect(nextStart(window, at)).toEqual(later.start);
});
