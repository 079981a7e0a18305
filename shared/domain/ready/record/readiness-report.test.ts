import { expect, test } from "vitest";
import { aStoredUpgrade } from "../../../../test/support/precache/precache-snapshots.ts";
import { kinds } from "../../kubernetes/object.ts";
import { readinessFor, readinessReport, readReadiness, type StoredReadiness } from "./readiness-report.ts";

const cgu = aStoredUpgrade(["sno1"]);
const stored: StoredReadiness = {
  revision: "0123456789",
  architectures: ["amd64", "arm64"],
  images: ["quay.io/a:1", "quay.io/b:1"],
  problems: [{ text: "a database", isMissing: false }],
  readAt: "2026-03-01T02:00:00Z",
  ready: "True",
  reason: "ImagesReady",
  message: "All 2 images are ready.",
  since: "2026-03-01T02:00:00Z",
  warnings: ["Registry hangs.lan: This registry did not respond."],
  accessEnds: [{ what: "token", name: "m.lan", ends: "2026-03-10T00:00:00Z" }],
  known: "True",
  records: new Map([
    [
      "quay.io/a:1",
      { status: "ready", at: "2026-03-01T02:00:00Z", basis: "b", from: "m.lan/a:1", digest: "sha256:1" },
    ],
  ]),
};

test("When a report is written and read, it should hold the same", () => {
  expect(readReadiness(readinessReport(cgu, undefined, stored))).toEqual(stored);
});

test("When a report is about the content, it should decide; about other content, it should hold", () => {
  const report = readinessReport(cgu, undefined, stored);
  expect(readinessFor(report, "0123456789").ready).toBe("True");
  for (const other of [undefined, report]) expect(readinessFor(other, "9876543210").ready).toBe("Unknown");
});

const { apiVersion, kind } = kinds.ReadinessReport;
test.for<[string, Readonly<Record<string, unknown>>]>([
  ["has no fields", {}],
  ["has fields of other types", { revision: 1, ready: true, images: [], problems: "no", architectures: [1] }],
  [
    "has records that cannot be read",
    { images: { a: { status: "fine" }, b: { status: "ready", at: "now" } } },
  ],
])("When a report %s, nothing should be ready, and its images be asked for", ([, fields]) => {
  const report = { apiVersion, kind, metadata: { name: "upgrade" }, ...fields };
  const { records, ready, problems } = readReadiness(report);
  expect([records.size, ready, problems]).toEqual([0, "Unknown", []]);
  expect(readinessFor(report, "0123456789").ready).toBe("Unknown");
});
