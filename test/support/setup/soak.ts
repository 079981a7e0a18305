import fc from "fast-check";
import { type TaskMeta, TestRunner } from "vitest";
import type { TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** How often the test has run each fault. */
    faultRuns?: Record<string, number>;
  }
}

type Times = Readonly<{ ci: number; soak: number }>;

/** The runs of each fault in `npm run soak`, at least. */
const minRuns = 200;

/** Returns the number of repetitions: enough to find a fault in CI, many times more with SOAK=1 (`npm run soak`). */
export function times({ ci, soak }: Times): number {
  return process.env.SOAK ? soak : ci;
}

/** Returns the seed of this run, which `FC_SEED` sets. */
export function seedOfRun(): number {
  return fc.readConfigureGlobal()?.seed ?? 0;
}

/** Draws this many cases of a fault, and prints the seed with which `FC_SEED` draws them again. */
export function drawn<Case>(what: string, runs: Times, cases: fc.Arbitrary<Case>): readonly Case[] {
  const numRuns = times(runs);
  console.log(`${what}: ${numRuns} cases, FC_SEED=${seedOfRun()}`);
  return fc.sample(fc.noBias(cases), numRuns);
}

/** Counts runs of a fault in the running test, for the list at the end of a soak. */
export function countRun(fault: string, runs = 1): void {
  const { meta } = TestRunner.getCurrentTest() ?? {};
  if (!meta) throw new Error("no test is running");
  meta.faultRuns = { ...meta.faultRuns, [fault]: (meta.faultRuns?.[fault] ?? 0) + runs };
}

/** Returns the runs of each fault over all tests. */
export function runsOf(tests: Iterable<Pick<TaskMeta, "faultRuns">>): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const { faultRuns = {} } of tests)
    for (const [fault, runs] of Object.entries(faultRuns)) all.set(fault, (all.get(fault) ?? 0) + runs);
  return all;
}

/** Lists at the end of a soak how often each fault was run, and fails where that is too few. */
export const soakRuns = {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!process.env.SOAK) return;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const all = [...runsOf(tests.map((test) => test.meta()))];
    const lines = all.map(
      ([fault, runs]) =>
        `   ${String(runs).padStart(6)}  ${fault}${runs < minRuns ? `: fewer than ${minRuns}` : ""}`,
    );
    console.log(["", " Runs of each fault", ...lines].join("\n"));
    if (all.some(([, runs]) => runs < minRuns)) process.exitCode = 1;
  },
};
