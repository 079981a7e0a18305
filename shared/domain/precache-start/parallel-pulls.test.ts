import { expect, test } from "vitest";
import { anUpgrade, aPreCachingConfig } from "../../../test/support/precache/precache-plan-objects.ts";
import { parallelPulls } from "./parallel-pulls.ts";

const asking = (value: string) => ({ annotations: { "hubrelay.dev/parallel-pulls": value } });

test.for<readonly [string, number]>([
  ["1", 1],
  [" 4 ", 4],
  ["99", 99],
])("When %s pulls are requested, it should be %d", ([value, max]) => {
  expect(parallelPulls([anUpgrade({}, asking(value))])).toEqual({ max, issues: [] });
});

test.for(["", "0", "-1", "1.5", "100", "all", "4,oslo=2"])(
  "When '%s' is requested, it should be one at a time, and reported with a remedy",
  (value) => {
    const { max, issues } = parallelPulls([anUpgrade({}, asking(value))]);
    expect(max).toBe(1);
    expect(issues).toEqual([
      expect.objectContaining({
        code: "InvalidLimit",
        severity: "error",
        path: 'metadata.annotations["hubrelay.dev/parallel-pulls"]',
        value,
        remedy: "Write a whole number from 1 to 99.",
      }),
    ]);
  },
);

test("When the upgrade and its PreCachingConfig set it, the upgrade should win; when neither does, nothing be set", () => {
  const config = aPreCachingConfig({}, asking("8"));
  expect(parallelPulls([anUpgrade({}, asking("2")), config]).max).toBe(2);
  expect(parallelPulls([anUpgrade(), config]).max).toBe(8);
  expect(parallelPulls([anUpgrade()])).toEqual({ max: undefined, issues: [] });
});
