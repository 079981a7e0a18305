import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { functionNames } from "../../infra/bundle/bundle.ts";

test("When a function is added, test/golden should get a trace of it", async () => {
  const [functions, traces] = await Promise.all([functionNames(), readdir(import.meta.dirname)]);
  expect(functions.length).toBeGreaterThan(0);
  expect(functions.filter((name) => !traces.includes(`${name}.md`))).toEqual([]);
});
