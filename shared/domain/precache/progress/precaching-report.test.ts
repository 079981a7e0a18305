import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { freeBytesOf } from "./precaching-report.ts";

const record = { state: "Succeeded", reason: "Completed", message: "", attempt: 1 };

function aReport(name: string, clusters: Readonly<Record<string, object>>): KubernetesObject {
  const metadata = { namespace: "ztp", name };
  return {
    apiVersion: "hubrelay.dev/v1alpha1",
    kind: "PreCachingReport",
    metadata,
    revision: name,
    clusters,
  };
}

const earlier = aReport("upgrade-0", {
  a: { ...record, since: "2026-03-01T02:00:00Z", bytesFree: 100 },
  b: { ...record, since: "2026-03-03T02:00:00Z", bytesFree: 50 },
  c: { ...record, since: "2026-03-01T02:00:00Z" },
  d: { bytesFree: 1 },
});
const later = aReport("other-0", {
  a: { ...record, since: "2026-03-02T02:00:00+00:00", bytesFree: 70 },
  b: { ...record, since: "2026-03-02T02:00:00Z", bytesFree: 90 },
});

test.for([
  { order: "in order", reports: [earlier, later] },
  { order: "the other way round", reports: [later, earlier] },
])(
  "When several reports $order say what is free, the latest record of each cluster should count",
  ({ reports }) => {
    expect(Object.fromEntries(freeBytesOf(reports))).toEqual({ a: 70, b: 50 });
  },
);
