import fc from "fast-check";
import { expect, test } from "vitest";
import { batchesOf, batchLimits, messageBytes } from "./message-batches.ts";

const itself = (size: number) => size;

test("When entries fill a request to the byte, they should be together, and one that exceeds it be on its own", () => {
  expect(batchesOf([262_000, 144, 1], itself)).toEqual([[262_000, 144], [1]]);
  expect(batchesOf([1, 300_000, 1], itself)).toEqual([[1], [300_000], [1]]);
});

test("When entries are split, it should keep all in order, within the limits, in no more requests than needed", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: batchLimits.bytes }), { maxLength: 60 });
  fc.assert(
    fc.property(sizes, (entries) => {
      const batches = batchesOf(entries, itself);
      const sums = batches.map((batch) => batch.reduce((sum, size) => sum + size, 0));
      expect(batches.flat()).toEqual(entries);
      for (const [index, batch] of batches.entries()) {
        const sum = sums[index] ?? 0;
        expect(batch.length).toBeLessThanOrEqual(batchLimits.entries);
        expect(sum).toBeLessThanOrEqual(batchLimits.bytes);
        const next = batches[index + 1]?.[0];
        if (next !== undefined && batch.length < batchLimits.entries)
          expect(sum + next).toBeGreaterThan(batchLimits.bytes);
      }
    }),
  );
});

test("When a message has attributes, it should count names, types and values in bytes of UTF-8", () => {
  expect(messageBytes("ü🚀")).toBe(6);
  expect(messageBytes("", { ä: "ö", b: "cd" })).toBe(2 + 6 + 2 + 1 + 6 + 2);
});
