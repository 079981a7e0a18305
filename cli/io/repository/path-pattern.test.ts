import { expect, test } from "vitest";
import { matchesPath } from "./path-pattern.ts";

test.for([
  ["charts", "charts/a/values.yaml", true],
  ["charts", "charts", true],
  ["charts/", "./charts/a.yaml", true],
  ["charts", "envs/charts/a.yaml", false],
  ["chart", "charts/a.yaml", false],
  ["**/testdata", "a/b/testdata/c.yaml", true],
  ["**/testdata", "testdata/c.yaml", true],
  ["**", "a.yaml", true],
  ["envs/*/mirrors.yaml", "envs/prod/mirrors.yaml", true],
  ["envs/*/mirrors.yaml", "envs/prod/eu/mirrors.yaml", false],
  ["envs/**/mirrors.yaml", "envs/prod/eu/mirrors.yaml", true],
  ["*.json", "a.json", true],
  ["a*b*c", "a1b2c", true],
  ["a*a", "a", false],
  ["a*b", "ab", true],
  ["constructor", "envs", false],
  ["", "a.yaml", false],
] as const)("When the pattern is %j and the path %j, it should match: %s", ([pattern, path, matches]) => {
  expect(matchesPath(pattern, path)).toBe(matches);
});
