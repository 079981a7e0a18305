import fc from "fast-check";

type Times = Readonly<{ ci: number; soak: number }>;

/** Returns the number of repetitions: enough to find a fault in CI, many times more with SOAK=1 (`npm run soak`). */
export function times({ ci, soak }: Times): number {
  return process.env.SOAK ? soak : ci;
}

/** Draws this many cases of a fault, and prints the seed with which `FC_SEED` draws them again. */
export function drawn<Case>(what: string, runs: Times, cases: fc.Arbitrary<Case>): readonly Case[] {
  const numRuns = times(runs);
  console.log(`${what}: ${numRuns} runs, FC_SEED=${fc.readConfigureGlobal()?.seed}`);
  return fc.sample(fc.noBias(cases), numRuns);
}
