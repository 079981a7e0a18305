import { expect, test } from "vitest";
import { type ImageRecord, recordedWarnings } from "./image-record.ts";

test("When only records of images are known, the registry should be named with a location and what nodes wait", () => {
  const record = { status: "ready", at: "2026-03-01T02:00:00Z", basis: "b" } as const;
  const records = new Map<string, ImageRecord>([
    ["quay.io/a:1", { ...record, unresponsive: ["hangs.lan/a:1"] }],
    ["quay.io/b:1", { ...record, unresponsive: ["hangs.lan/b:1"] }],
    ["quay.io/c:1", record],
  ]);
  const warnings = recordedWarnings([...records.keys()], records);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^Registry hangs\.lan: .* for 2 of 3 images \(such as hangs\.lan\/a:1\).* 30 s .*Fix: /,
    ),
  ]);
});
