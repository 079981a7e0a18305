import { expect, test } from "vitest";
import { fatesOf } from "./fates.ts";

const options = { clusters: 3_500, seed: 7, maxJobMs: 20_000, offlineMs: 30_000 };

test("When fates are drawn, the shares should be exact and depend only on the seed", () => {
  const fates = fatesOf(options);
  expect(fates).toEqual(fatesOf(options));
  expect(fates).not.toEqual(fatesOf({ ...options, seed: 8 }));
  expect(fates.filter(({ offlineMs }) => offlineMs === "never")).toHaveLength(35);
  expect(fates.filter(({ offlineMs }) => offlineMs === 30_000)).toHaveLength(70);
  expect(fates.filter(({ end }) => end === "fails")).toHaveLength(70);
  for (const { jobMs } of fates) expect(jobMs).toBeGreaterThanOrEqual(5_000);
});

test("When a fleet is too small for a share, every cluster should succeed", () => {
  const fates = fatesOf({ ...options, clusters: 10 });
  expect(fates.map(({ end, offlineMs }) => [end, offlineMs])).toEqual(fates.map(() => ["succeeds", 0]));
});
