import { knownMisses } from "./known-misses.ts";

/** The options of a benchmark run. */
export type BenchOptions = Readonly<{
  /** True for a small run with few rounds, as in CI. Such a run only shows that measuring works: goals get a margin. */
  smoke: boolean;
}>;

/** The minimum or maximum of a ratio; the ratio is compared before it is rounded. */
export type Goal = Readonly<{ atLeast: number }> | Readonly<{ atMost: number }>;

/** A subject and its peer, measured in turns in the same run, and the ratio of the two results. */
export type MeasuredRow = Readonly<{
  /** What was measured, with its size: `10,000 sources × 3 mirrors`. */
  subject: string;
  /** What the subject was measured against: the peer, or the floor that nothing can go below. */
  against: string;
  /** Subject divided by peer, or the reverse, as the claim's goal says; without a unit. */
  ratio: number;
  /** What is compared. A missed goal of wall time does not fail the run: other load affects it. */
  measures: "processor time" | "count" | "bytes" | "wall time";
  /** Absent if the ratio is for information only. */
  goal?: Goal;
  /** Set if the goal is only for the full size: a small run reports the row, but does not judge it. */
  needsFullSize?: true;
  /** The medians from which the ratio is computed; their names contain the units, as in `subjectMs`. */
  numbers: Readonly<Record<string, number>>;
}>;

/** A row that cannot be measured on this machine; `skipped` is the reason, such as `Go is not on the PATH`. */
export type SkippedRow = Readonly<{ subject: string; against: string; skipped: string }>;

export type Row = MeasuredRow | SkippedRow;

/**
 * One claim of the project about its performance: one file in `bench/claims/`, listed in `bench/main.ts`. `run`
 * measures subject and peer in turns in the same process and takes medians, so that a busy machine affects both. It
 * measures processor time for computation (`timePerRun`, `commandTime`) and elapsed time for waiting (`elapsedOf`). It
 * throws only when subject and peer do different work (other bytes, lost messages): their ratio would mean nothing.
 */
export type Claim = Readonly<{
  /** The claim's name in `--only`, in the table and in the results. */
  name: string;
  /** The claim in one sentence, including its goal. */
  goal: string;
  run(options: BenchOptions): Promise<readonly Row[]>;
}>;

/** Returns the row for a process's memory under constant load: it must not grow in the last two fifths of a run. */
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

/** Whether a row meets its goal; an empty text for a row without a goal. Only `missed` fails the run. */
export type Verdict = "met" | "missed" | "missed, known" | "missed, wall time" | "small run" | "";

/** The factor by which a small run may miss a goal, since it has few rounds. */
const smallMargin = 1.25;

/** Returns whether a measured row of a claim meets its goal; an empty text for a row without a goal. */
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
