import fc from "fast-check";
import type { Victim } from "./kept-process.ts";

/** A process or connection that is killed at one moment. */
type Blow = Readonly<{
  killed: Victim;
  pauseMs: number;
  /** No edit follows until the result of the latest has come: a lost message is not made up for by the next one. */
  isQuiet: boolean;
}>;

/** Draws who is killed when: all once before one is killed again, the last one quietly. */
export function drawBlows(all: readonly Victim[], kills: number, seed: number): readonly Blow[] {
  const count = all.length;
  const round = fc.record({
    victims: fc.shuffledSubarray([...all], { minLength: count }),
    pausesMs: fc.array(fc.nat(1_000), { minLength: count, maxLength: count }),
    quiet: fc.array(fc.nat(3), { minLength: count, maxLength: count }),
  });
  const rounds = fc.sample(fc.noBias(round), { numRuns: Math.ceil(kills / count), seed });
  const blows = rounds.flatMap(({ victims, pausesMs, quiet }) =>
    victims.map((killed, index) => ({
      killed,
      pauseMs: pausesMs[index] ?? 0,
      isQuiet: quiet[index] === 0,
    })),
  );
  return blows
    .slice(0, kills)
    .map((blow, index) => (index === kills - 1 ? { ...blow, isQuiet: true } : blow));
}
