import { expect, test } from "vitest";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { isCheckRequested } from "./cluster-check.ts";

const started = "2026-03-04T01:00:00Z";
const cached = aWaitingRecord({ state: "Succeeded", reason: "Completed" });

test.for([
  ["it is named", cached, ["sno2", "sno1"], true],
  ["all are", cached, ["all"], true],
  ["another one is named", cached, ["sno2"], false],
  ["it is named and still pulls", aWaitingRecord({ state: "Active" }), ["sno1"], false],
  ["it is named and is being checked", { ...cached, check: { started, attempt: 1 } }, ["sno1"], false],
  [
    "it is named and was checked before",
    { ...cached, check: { started, attempt: 1, checked: started } },
    ["sno1"],
    true,
  ],
] as const)("When $0, a check of the cluster should be requested: $3", ([, record, clusters, requested]) => {
  expect(isCheckRequested("sno1", record, new Set(clusters))).toBe(requested);
});
