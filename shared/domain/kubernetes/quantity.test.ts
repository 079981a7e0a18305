import { expect, test } from "vitest";
import { quantityOf } from "./quantity.ts";

test.for<[value: unknown, number: number | undefined]>([
  ["467894Mi", 467_894 * 1024 ** 2],
  ["100Gi", 100 * 1024 ** 3],
  ["1.5T", 1.5e12],
  ["12e6", 12e6],
  ["12E6", 12e6],
  ["2E", 2e18],
  ["500m", 0.5],
  ["7", 7],
  [".5Ki", 512],
  ["-1k", -1000],
  [7, 7],
  ["", undefined],
  ["Gi", undefined],
  ["1 Gi", undefined],
  ["1gi", undefined],
  ["1GiB", undefined],
  ["1e", undefined],
  ["constructor", undefined],
  [null, undefined],
])("When a quantity is %j, it should be %d", ([value, number]) => {
  expect(quantityOf(value)).toBe(number);
});
