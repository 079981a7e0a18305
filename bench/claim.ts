/** The options of a benchmark run. */
export type BenchOptions = Readonly<{
  /** Small sizes and few rounds, for CI: shows that the claim can be measured, and checks the goals of steady rows. */
  smoke: boolean;
}>;

/** The bound of a ratio. Ratios are compared unrounded. */
export type Goal = Readonly<{ atLeast: number }> | Readonly<{ atMost: number }>;

/** Two subjects measured in the same run, interleaved, and their ratio. */
export type MeasuredRow = Readonly<{
  /** What was measured, with its size: `10,000 sources × 3 mirrors`. */
  subject: string;
  /** What it was measured against: the peer, or the floor that nothing can go below. */
  against: string;
  /** No unit; the claim's goal says what is divided by what. */
  ratio: number;
  /** Absent if the ratio is for information only. */
  goal?: Goal;
  /**
   * The ratio varies little from run to run and with the size, such as one of counts: small runs check its goal, with a
   * margin, so that a regression is seen with each change.
   */
  isSteady?: true;
  /** The medians behind the ratio, unit in the name: `subjectMs`, `peerMessagesPerSecond`. */
  numbers: Readonly<Record<string, number>>;
}>;

/** A row that cannot be measured here, with the reason: `Go is not on the PATH`. */
export type SkippedRow = Readonly<{ subject: string; against: string; skipped: string }>;

export type Row = MeasuredRow | SkippedRow;

/**
 * One claim of the project about its performance: one file in `bench/claims/`, listed in `bench/main.ts`.
 * `run` measures subject and peer in turns in the same process and takes medians, so that a busy machine affects both:
 * processor time for computation (`timePerRun`), elapsed time for waiting (`elapsedOf`). It throws only when the two do
 * not do the same work (other bytes, lost messages), since their ratio would mean nothing.
 */
export type Claim = Readonly<{
  /** Name for `--only`, in the table and in the results. */
  name: string;
  /** The claim in one sentence, including its goal. */
  goal: string;
  run(options: BenchOptions): Promise<readonly Row[]>;
}>;

/** Returns the row of a process that must not grow under a constant load: its memory at the end and at three fifths. */
export function steadyMemory(whose: string, earlierMiB = Number.NaN, lastMiB = Number.NaN): MeasuredRow {
  return {
    subject: `${whose} memory after the last of them`,
    against: "after three fifths",
    ratio: lastMiB / earlierMiB,
    goal: { atMost: 1.1 },
    numbers: { lastMiB, earlierMiB },
  };
}

/** How far a small run may miss the goal of a steady row. */
const smallMargin = 1.25;

/**
 * Returns true when a measured row meets its goal; undefined for a row that is not judged: one without a goal, or one of a
 * small run that is not steady.
 */
export function isMet(
  { ratio, goal, isSteady }: MeasuredRow,
  { smoke }: BenchOptions = { smoke: false },
): boolean | undefined {
  if (!goal || (smoke && !isSteady)) return undefined;
  const margin = smoke ? smallMargin : 1;
  return "atLeast" in goal ? ratio >= goal.atLeast / margin : ratio <= goal.atMost * margin;
}
