import { expect, test } from "vitest";
import { type Findings, failConditions, failedConditions } from "./fail-on.ts";

const clean: Findings = { errors: 0, warnings: 0 };

test.for<{ on: Parameters<typeof failedConditions>[0]; found: Findings; failed: readonly string[] }>([
  { on: [], found: clean, failed: [] },
  { on: [], found: { ...clean, errors: 1 }, failed: ["error"] },
  { on: [], found: { ...clean, warnings: 1 }, failed: [] },
  { on: ["warning"], found: { ...clean, warnings: 1 }, failed: ["warning"] },
  { on: ["drain"], found: { ...clean, errors: 1 }, failed: ["error"] },
  { on: ["drain"], found: { ...clean, differs: true, cost: "reload" }, failed: [] },
  { on: ["drain"], found: { ...clean, differs: true, cost: "drain" }, failed: ["drain"] },
  { on: ["drain"], found: { ...clean, differs: true, cost: "replace" }, failed: ["drain"] },
  { on: ["reboot"], found: { ...clean, differs: true, cost: "drain" }, failed: [] },
  { on: ["difference"], found: { ...clean, differs: true, cost: "none" }, failed: ["difference"] },
  { on: ["difference"], found: clean, failed: [] },
  { on: failConditions, found: clean, failed: [] },
])("When it fails on $on and $found is found, the reasons should be $failed", ({ on, found, failed }) => {
  expect(failedConditions(on, found)).toEqual(failed);
});
