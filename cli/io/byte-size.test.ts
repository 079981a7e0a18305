import { expect, test } from "vitest";
import { byteSize, duration } from "./byte-size.ts";

test.for([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [1.5 * 1024 ** 2, "1.5 MiB"],
  [38.25 * 1024 ** 3, "38.3 GiB"],
] as const)("When there are %d bytes, it should read %s", ([bytes, text]) => {
  expect(byteSize(bytes)).toBe(text);
});

test.for([
  [0, "0s"],
  [59, "59s"],
  [725, "12m5s"],
  [3600, "1h0m"],
  [90_000, "25h0m"],
] as const)("When there are %d seconds, it should read %s", ([seconds, text]) => {
  expect(duration(seconds)).toBe(text);
});
