/** How a bench is run. */
export type BenchOptions = Readonly<{
  /** Small sizes and few rounds, for CI: shows that the claim can be measured, judges no goal. */
  smoke: boolean;
}>;

/** What a ratio must be. A claim says which way is better; neither bound is ever reached by rounding. */
export type Goal = Readonly<{ atLeast: number }> | Readonly<{ atMost: number }>;

/** Two things measured in the same run, interleaved, and how they compare. */
export type MeasuredRow = Readonly<{
  /** What was measured, with its size: `10,000 sources × 3 mirrors`. */
  subject: string;
  /** What it was measured against: the peer, or the floor that nothing can go below. */
  against: string;
  /** Without unit; the claim's sentence says what is divided by what. */
  ratio: number;
  /** Absent where the ratio is told for information only. */
  goal?: Goal;
  /** The medians behind the ratio, unit in the name: `subjectMs`, `peerMessagesPerSecond`. */
  numbers: Readonly<Record<string, number>>;
}>;

/** What could not be measured here, and why: `Go is not on the PATH`. */
export type SkippedRow = Readonly<{ subject: string; against: string; skipped: string }>;

export type Row = MeasuredRow | SkippedRow;

/**
 * One claim of the project about its own speed, one file in `bench/claims/`; listed in `bench/main.ts`.
 * `run` measures subject and peer in turns in the same process lifetime and takes medians, so that a busy
 * machine moves both: processor time where the work is computing (`timePerRun`), elapsed time where it is waiting
 * (`elapsedOf`). It throws only when the two do not do the same work (other bytes, lost messages): a
 * ratio between different things is worth nothing.
 */
export type Claim = Readonly<{
  /** Names the claim for `--only`, in the table and in the results. */
  name: string;
  /** The claim in one sentence, its goal included. */
  goal: string;
  run(options: BenchOptions): Promise<readonly Row[]>;
}>;

/** True when a measured row keeps its goal; undefined for a row without one. */
export function isMet({ ratio, goal }: MeasuredRow): boolean | undefined {
  if (!goal) return undefined;
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
