/** The middle value, or the mean of the two in the middle. Throws for no values: there is nothing to tell. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) throw new Error("the median of no values");
  return (low + high) / 2;
}

/** Milliseconds that a synchronous piece of work takes. */
export function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Repeats a measurement until it was made at least `times` times and took `totalMs`; the median of all. */
export function medianOver(measure: () => number, times: number, totalMs: number): number {
  const values: number[] = [];
  const end = performance.now() + totalMs;
  while (values.length < times || performance.now() < end) values.push(measure());
  return median(values);
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
