import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Returns the median. Throws for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) throw new Error("the median of no values");
  return (low + high) / 2;
}

/**
 * Returns the processor time of this thread for one run, in milliseconds. Repeats the work for at least `minMs`, since
 * the system counts a thread's time in ticks.
 */
export function timePerRun(work: () => void, minMs = 200): number {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms >= minMs) return ms / runs;
  }
}

/** Returns the processor time of all threads of a running process, in milliseconds. Works only on Linux. */
export async function processorMs(pid: number): Promise<number> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder);
  const statistics = await Promise.all(threads.map((id) => readFile(join(folder, id, "schedstat"), "utf8")));
  return statistics.reduce((sum, text) => sum + Number.parseInt(text, 10) / 1e6, 0);
}

/** Returns the elapsed milliseconds of the work, including the time in which it waits. */
export async function elapsedOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A measurement, and the values of its repetitions. */
export type Series = Readonly<{ measure: () => number | Promise<number>; values: number[] }>;

export function series(measure: Series["measure"]): Series {
  return { measure, values: [] };
}

/** Measures the series in turns (A B A B …), so that a slowdown affects all. Adds the values to each series. */
export async function inTurns(rounds: number, ...all: readonly Series[]): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const { measure, values } of all) values.push(await measure());
  }
}

/** Returns the value below which `percent` percent of the values lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
