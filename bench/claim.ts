import { knownMisses } from "./known-misses.ts";

/** The options of a benchmark run. */
export type BenchOptions = Readonly<{
  /** True for a small run with few rounds, as in CI. Goals are less strict for a small run. */
  smoke: boolean;
}>;

/** The minimum or the maximum of a row's ratio. */
export type Goal = Readonly<{ atLeast: number }> | Readonly<{ atMost: number }>;

/** A subject and its peer, measured in turns in the same run, and the ratio of the two results. */
export type MeasuredRow = Readonly<{
  /** What was measured, with its size, such as `10,000 sources × 3 mirrors`. */
  subject: string;
  /** What the subject was compared with: a peer, or the least work that any program needs. */
  against: string;
  /** The subject's value divided by the peer's value or, if the claim says so, the reverse. */
  ratio: number;
  /** The measured quantity. A missed goal of wall time does not fail the run, since other programs affect the time. */
  measures: "processor time" | "count" | "bytes" | "wall time";
  /** Absent if the row is for information only. */
  goal?: Goal;
  /** Set if only a full run judges the row. A small run only reports it. */
  needsFullSize?: true;
  /** Measured values by name. The name contains the unit, as in `subjectMs`. */
  numbers: Readonly<Record<string, number>>;
}>;

/** A row that cannot be measured on this machine. `skipped` is the reason, such as `Go is not on the PATH`. */
export type SkippedRow = Readonly<{ subject: string; against: string; skipped: string }>;

export type Row = MeasuredRow | SkippedRow;

/**
 * One claim about the project's performance. `run` measures subject and peer in turns: processor time for computation,
 * elapsed time for waiting. It throws if subject and peer did different work, since their ratio would mean nothing.
 */
export type Claim = Readonly<{
  name: string;
  goal: string;
  run(options: BenchOptions): Promise<readonly Row[]>;
}>;

/** Returns the row that compares the memory at the end of a run with the memory after three fifths of the run. */
export function steadyMemory(whose: string, earlierMiB = Number.NaN, lastMiB = Number.NaN): MeasuredRow {
  return {
    subject: `${whose} memory after the last of them`,
    against: "after three fifths",
    ratio: lastMiB / earlierMiB,
    measures: "bytes",
    goal: { atMost: 1.1 },
    numbers: { lastMiB, earlierMiB },
  };
}

/** The result of a row; empty for a row without a goal. Only `missed` fails the run. */
export type Verdict = "met" | "missed" | "missed, known" | "missed, wall time" | "small run" | "";

const smallMargin = 1.25;

/** Judges a measured row of the claim with this name. */
export function verdict(claim: string, row: MeasuredRow, { smoke }: BenchOptions): Verdict {
  const { subject, ratio, measures, goal, needsFullSize } = row;
  if (!goal) return "";
  if (smoke && needsFullSize) return "small run";
  const margin = smoke ? smallMargin : 1;
  const isMet = "atLeast" in goal ? ratio >= goal.atLeast / margin : ratio <= goal.atMost * margin;
  if (isMet) return "met";
  if (measures === "wall time") return "missed, wall time";
  const isKnown = knownMisses.some((known) => known.claim === claim && subject.startsWith(known.subject));
  return isKnown ? "missed, known" : "missed";
}
