import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { workloadReasonOf } from "./run-reason.ts";

const workload = new URL("../../../../infra/precache-workload/end.sh", import.meta.url);

test("When the workload ends with a reason, the hub should know it", () => {
  const [, table = ""] = /exit_codes=\(([^)]*)\)/.exec(readFileSync(workload, "utf8")) ?? [];
  const reasons = [...table.matchAll(/\[(\w+)\]/g)].map(([, reason]) => reason);
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter((reason) => !workloadReasonOf(reason))).toEqual([]);
});
