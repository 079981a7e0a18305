import fc from "fast-check";
import type { Victim } from "./kept-process.ts";

/** The processes and connections that are killed at one moment, the last of them last. */
type Blow = Readonly<{
  killed: readonly Victim[];
  pauseMs: number;
  /** No edit follows until the result of the latest has come: a lost message is not made up for by the next one. */
  isQuiet: boolean;
}>;

/**
 * Draws who is killed when: all once before one is killed again, the last one quietly; or those that are named
 * `together`, quietly each time.
 */
export function drawBlows(
  all: readonly Victim[],
  { kills, together }: Readonly<{ kills: number; together?: readonly string[] }>,
  seed: number,
): readonly Blow[] {
  const count = all.length;
  const round = fc.record({
    victims: fc.shuffledSubarray([...all], { minLength: count }),
    pausesMs: fc.array(fc.nat(1_000), { minLength: count, maxLength: count }),
    quiet: fc.array(fc.nat(3), { minLength: count, maxLength: count }),
  });
  const rounds = fc.sample(fc.noBias(round), { numRuns: Math.ceil(kills / count), seed });
  const named = together?.flatMap((name) => all.filter((one) => one.name === name));
  const blows = rounds.flatMap(({ victims, pausesMs, quiet }) =>
    victims.map((killed, index) => ({
      killed: named ?? [killed],
      pauseMs: pausesMs[index] ?? 0,
      isQuiet: named !== undefined || quiet[index] === 0,
    })),
  );
  return blows
    .slice(0, kills)
    .map((blow, index) => (index === kills - 1 ? { ...blow, isQuiet: true } : blow));
}
