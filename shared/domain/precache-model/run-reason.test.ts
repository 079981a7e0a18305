import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkedReason } from "../precache-start/work/workload-contract.ts";
import { workloadReasonOf } from "./run-reason.ts";

const workload = new URL("../../../infra/precache-workload/end.sh", import.meta.url);

test("When the workload ends with a reason, the hub should know it", () => {
  const text = readFileSync(workload, "utf8");
  const [, table = ""] = /exit_codes=\(([^)]*)\)/.exec(text) ?? [];
  const named = [...table.matchAll(/\[(\w+)\]/g), ...text.matchAll(/^ +finish ([A-Z]\w+)/gm)];
  const reasons = named.map(([, reason]) => reason).filter((reason) => reason !== checkedReason);
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter((reason) => !workloadReasonOf(reason))).toEqual([]);
});
