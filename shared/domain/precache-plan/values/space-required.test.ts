import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSpaceRequired } from "./space-required.ts";

const sizes = [
  ["35 GiB", "35"],
  ["35GiB", "35"],
  ["38.5 GiB", "39"],
  ["1e3 GiB", "1000"],
  ["30G", "28"],
  ["30GB", "28"],
  ["40 GB", "38"],
  ["50GIB", "47"],
  ["30", "1"],
  ["1073741824", "1"],
  ["1073741825 B", "2"],
  ["2500000 KB", "3"],
  ["2500000 KiB", "3"],
  ["3100 MiB", "4"],
  ["2 TB", "1863"],
  ["1 PiB", "1048576"],
  ["30 gib", "30"],
  ["30Gi", "30"],
  ["1.5Ti", "1536"],
  ["1048576 Mi", "1024"],
  [" 45 GiB ", "45"],
  ["0", "0"],
  ["0.5", "0"],
  ["1_000 GiB", "1000"],
  ["1_0.2_5e0_1 GiB", "103"],
] as const;

const refusals = [
  ["thirty", "invalid size: 'thirty'"],
  ["", "invalid size: ''"],
  ["-10 GiB", "invalid size: '-10 GiB'"],
  ["10  GiB", 'strconv.ParseFloat: parsing "10 ": invalid syntax'],
  ["1,5 GiB", 'strconv.ParseFloat: parsing "1,5": invalid syntax'],
  ["abc 123", 'strconv.ParseFloat: parsing "abc 123": invalid syntax'],
  ["0x10 GiB", 'strconv.ParseFloat: parsing "0x10": invalid syntax'],
  ["1__0 GiB", 'strconv.ParseFloat: parsing "1__0": invalid syntax'],
  ["_1 GiB", 'strconv.ParseFloat: parsing "_1": invalid syntax'],
  ["1_.5 GiB", 'strconv.ParseFloat: parsing "1_.5": invalid syntax'],
  ["1e400", 'strconv.ParseFloat: parsing "1e400": value out of range'],
  ["123 ab", "invalid suffix: 'ab'"],
  ["30 EiB", "invalid suffix: 'eib'"],
  ["30 GiBs", "invalid suffix: 'GiBs'"],
  ["30 bits", "invalid suffix: 'bits'"],
  ["1e30 GiB", "invalid value for spaceRequired, must be a number greater than 0"],
  ["NaN GiB", "invalid value for spaceRequired, must be a number greater than 0"],
] as const;

test.for(sizes)("When the space is %j, it should be %s GiB", ([text, gib]) => {
  expect(parseSpaceRequired(text)).toEqual({ ok: true, gib });
});

test.for(refusals)("When the space is %j, it should be refused", ([text, message]) => {
  expect(parseSpaceRequired(text)).toEqual({ ok: false, message });
});

test("When it is any text, it should be whole GiB or a reason", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc
      .tuple(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.constantFrom("", " "),
        fc.constantFrom("GiB", "gb", "T", "Mi", "", "b"),
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      const read = parseSpaceRequired(given);
      if (read.ok) expect(read.gib).toMatch(/^\d+$/);
      else expect(read.message).not.toBe("");
    }),
  );
});
