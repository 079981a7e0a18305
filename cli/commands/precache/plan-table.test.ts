import { expect, test } from "vitest";
import type { PrecachePlan } from "#shared/domain/precache/model/precache-plan.ts";
import { emptySpec } from "#shared/domain/precache/model/precaching-spec.ts";
import { planTable } from "./plan-table.ts";

const unknown = {
  architecture: "amd64",
  totalBytes: null,
  missingBytes: null,
  site: "oslo",
  seconds: null,
  room: "unknown" as const,
  freeBytes: null,
  reason: "",
};

const planned = (names: readonly string[]): PrecachePlan => ({
  namespace: "ztp",
  name: "upgrade",
  spec: emptySpec,
  conditions: [],
  clusters: names.map((name) => ({ name, action: "precache", reason: "It is selected." })),
  issues: [],
  sizes: {
    clusters: names.map((name) => ({ ...unknown, name })),
    sites: [{ site: "oslo", clusters: names.length, missingBytes: null, seconds: null }],
    notCounted: [],
    osStreams: [{ architecture: "amd64", stream: "rhel-9", savedBytes: 3 * 1024 ** 3 }],
  },
});

const textOf = (names: readonly string[]) => planTable([planned(names)]).toString();

test("When no size is known, the plan should show a dash, not zero", () => {
  const text = textOf(["sno1"]);
  expect(text).toMatch(/sno1 +precache +- +- +- +unknown +It is selected/);
  expect(text).toMatch(/site oslo +1 cluster +- +-/);
  expect(text).not.toMatch(/\b0 ?[Bs]\b/);
});

test.for([
  { names: ["sno1"], says: "1 of 1 cluster pre-caches" },
  { names: ["sno1", "sno2"], says: "2 of 2 clusters pre-cache" },
])("When the plan has $names, it should say: $says", ({ names, says }) => {
  expect(textOf(names).split("\n")[0]).toBe(`ztp/upgrade: ${says}`);
});

test("When a release has several OS streams, the plan should show what clusters of each do not pull", () => {
  expect(textOf(["sno1"])).toMatch(/OS stream rhel-9 +clusters that boot it pull 3\.0 GiB less \(amd64\)/);
});
