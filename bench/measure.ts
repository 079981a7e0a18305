/** The middle value, or the mean of the two in the middle. Throws for no values: there is nothing to tell. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) throw new Error("the median of no values");
  return (low + high) / 2;
}

/**
 * Milliseconds of processor time that the thread spends on one run of a synchronous piece of work: what passes
 * on an idle machine. What other processes take away meanwhile does not count, nor do threads that help with
 * garbage. The work is repeated for at least `leastMs`, since the system counts a thread's time in ticks.
 */
export function timePerRun(work: () => void, leastMs = 200): number {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms >= leastMs) return ms / runs;
  }
}

/** Milliseconds that pass while something happens, waiting included. */
export async function elapsedOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** One thing that is measured again and again. */
export type Series = Readonly<{ measure: () => number | Promise<number>; values: number[] }>;

export function series(measure: Series["measure"]): Series {
  return { measure, values: [] };
}

/**
 * Measures all in turns, round after round (A B A B …), so that what slows the machine for a while slows all of
 * them. The values are added to each series.
 */
export async function inTurns(rounds: number, ...all: readonly Series[]): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const { measure, values } of all) values.push(await measure());
  }
}
