import { expect, test } from "vitest";
import { age, byteSize, durationText, shellWord } from "./human-readable.ts";

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
  [999, "0s"],
  [59_000, "59s"],
  [61_500, "1m1s"],
  [3_600_000, "1h"],
  [9_059_000, "2h30m"],
  [90_000_000, "25h"],
] as const)("When there are %d ms, it should read %s", ([milliseconds, text]) => {
  expect(durationText(milliseconds)).toBe(text);
});

const now = new Date("2026-03-10T12:00:00Z");
const ages = [
  { since: "2026-03-10T12:00:00Z", shown: "0s" },
  { since: "2026-03-10T11:59:01Z", shown: "59s" },
  { since: "2026-03-10T11:59:00Z", shown: "1m" },
  { since: "2026-03-10T09:30:00Z", shown: "2h" },
  { since: "2026-03-07T12:00:01Z", shown: "2d" },
  { since: "2026-03-10T12:00:09Z", shown: "0s" },
];

test.for(ages)("When it was $since, it should be $shown ago", ({ since, shown }) => {
  expect(age(new Date(since), now)).toBe(shown);
});

test.for([
  ["fleet/up-1", "fleet/up-1"],
  ["a b", "'a b'"],
  ["it's; rm -rf /", "'it'\\''s; rm -rf /'"],
])("When a command has %s, a shell should read it as one word", ([text = "", word]) => {
  expect(shellWord(text)).toBe(word);
});
