import { setImmediate as microtasksDone } from "node:timers/promises";
import fc from "fast-check";
import { HubError } from "#shared/ports/hub.ts";
import type { Step } from "./stepped.ts";

/**
 * The order of the actors, and the steps after which the running one falls behind all others. A few such changes find
 * bugs far sooner than a free choice at each step, which hardly ever lets one actor pause during all of another's work
 * (probabilistic concurrency testing, Burckhardt et al. 2010).
 */
export type Schedule = Readonly<{ priorities: readonly number[]; demotions: readonly number[] }>;

/** Generates schedules for this many actors that take about this many steps in all. */
export function schedules(actors: number, steps: number): fc.Arbitrary<Schedule> {
  const all = Array.from({ length: actors }, (_, index) => index);
  return fc.record({
    priorities: fc.shuffledSubarray(all, { minLength: actors }),
    demotions: fc.uniqueArray(fc.nat(steps), { maxLength: 4 }),
  });
}

/**
 * Runs the actors to their end, one step at a time, in the schedule's order. An actor calls `step` for every access to
 * shared state, and waits there for its turn.
 */
export async function interleave(
  actors: readonly ((step: Step) => Promise<void>)[],
  { priorities, demotions }: Schedule,
): Promise<void> {
  const order = [...priorities];
  const waiting = actors.map((): (() => Promise<void>)[] => []);
  const running = new Set<number>();

  const stepOf =
    (actor: number): Step =>
    (work) =>
      new Promise((resolve, reject) => {
        waiting[actor]?.push(() => work().then(resolve, reject));
      });
  const ends = actors.map(async (actor, index) => {
    running.add(index);
    try {
      await actor(stepOf(index));
    } finally {
      running.delete(index);
    }
  });

  for (let count = 0; running.size > 0; await microtasksDone()) {
    const next = order.find((actor) => (waiting[actor]?.length ?? 0) > 0);
    if (next === undefined) continue;
    if (demotions.includes(count++)) {
      order.splice(order.indexOf(next), 1);
      order.push(next);
      continue;
    }
    await waiting[next]?.shift()?.();
  }
  await Promise.all(ends);
}

/** Repeats the work as the queue does: a message whose reconcile lost every race is delivered again. */
export async function untilWon<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HubError && error.code === "Conflict")) throw error;
    }
}
