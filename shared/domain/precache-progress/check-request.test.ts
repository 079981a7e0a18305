import { expect, test } from "vitest";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { isCheckRequested } from "./cluster-check.ts";

const started = "2026-03-04T01:00:00Z";
const cached = aWaitingRecord({ state: "Succeeded", reason: "Completed" });

test.for([
  { what: "it is named", record: cached, clusters: ["sno2", "sno1"], requested: true },
  { what: "all are", record: cached, clusters: ["all"], requested: true },
  { what: "another one is named", record: cached, clusters: ["sno2"], requested: false },
  {
    what: "it is named and still pulls",
    record: aWaitingRecord({ state: "Active" }),
    clusters: ["sno1"],
    requested: false,
  },
  {
    what: "it is named and is being checked",
    record: { ...cached, check: { started, attempt: 1 } },
    clusters: ["sno1"],
    requested: false,
  },
  {
    what: "it is named and was checked before",
    record: { ...cached, check: { started, attempt: 1, checked: started } },
    clusters: ["sno1"],
    requested: true,
  },
])(
  "When $what, a check of the cluster should be requested: $requested",
  ({ record, clusters, requested }) => {
    expect(isCheckRequested("sno1", record, new Set(clusters))).toBe(requested);
  },
);
