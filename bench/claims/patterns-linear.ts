import { isMirror, isSource } from "#shared/domain/images/location-format.ts";
import type { Claim, MeasuredRow } from "../claim.ts";
import { inTurns, median, series, timePerRun } from "../measure.ts";

type Shape = Readonly<{ subject: string; ofLength(length: number): string }>;

const repeated = (start: string, part: string, end: string) => (length: number) =>
  start + part.repeat(Math.ceil((length - start.length - end.length) / part.length)) + end;

/** A backtracking matcher would be slow with these values, since it could split each value in many ways. */
const shapes: readonly Shape[] = [
  { subject: "one run of letters, then an invalid character", ofLength: repeated("a.io/", "a", "!") },
  { subject: "letters and dashes, then an invalid character", ofLength: repeated("a.io/", "a--", "!") },
  { subject: "a host of many labels, then an invalid character", ofLength: repeated("a", ".a-a", "_") },
  { subject: "a path of many components", ofLength: repeated("a.io", "/ns", "") },
];

const short = 100_000;
const long = 1_000_000;

export const patternsLinear: Claim = {
  name: "patterns-linear",
  goal: "a source or mirror of 1 MB takes at most 15 times as long to check as one of 100 kB (10 is linear, 100 quadratic)",
  async run({ smoke }) {
    const rows: MeasuredRow[] = [];
    for (const { subject, ofLength } of shapes) {
      const measure = (value: string) => series(() => timePerRun(() => check(value), smoke ? 50 : 200));
      const onShort = measure(ofLength(short));
      const onLong = measure(ofLength(long));
      await inTurns(1, onShort, onLong); // compiles the code, and flattens the strings
      for (const { values } of [onShort, onLong]) values.length = 0;
      await inTurns(smoke ? 2 : 7, onShort, onLong);
      rows.push({
        subject: `1 MB: ${subject}`,
        against: "100 kB of it",
        ratio: median(onLong.values) / median(onShort.values),
        measures: "processor time",
        goal: { atMost: 15 },
        numbers: { longMs: median(onLong.values), shortMs: median(onShort.values) },
      });
    }
    return rows;
  },
};

/** Matches a value with both patterns. Uses the results, so that no engine skips the work. */
function check(value: string): void {
  if (isSource(value) !== isMirror(value))
    throw new Error("a value without a wildcard is a source but not a mirror");
}
