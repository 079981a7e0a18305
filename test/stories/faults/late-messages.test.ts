import fc from "fast-check";
import { expect, test } from "vitest";
import { disturbing } from "../../support/faults/disturbing.ts";
import { endOf } from "../../support/faults/end-state.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

const threeHours = 3 * 3600;

/** How many copies of each message come again, and what makes their order. */
const repeats = drawn(
  "late messages",
  { ci: 1, soak: 20 },
  fc.record({ copies: fc.integer({ min: 1, max: 3 }), seed: fc.nat() }),
);

test.for(scenarios)(
  "When every message of %s in %s comes again hours later, more than once and in any order, nothing should be written",
  async ([, , scenario]) => {
    const recorder = disturbing((ports) => ports);
    const ran = await scenario(recorder);
    // What follows from one tick may wait for the next.
    for (const seconds of [150, threeHours, 0, 0]) await recorder.unrecorded(() => ran.settleByTick(seconds));
    const { jobs, ...settled } = await endOf(ran);
    const worksBefore = new Map(jobs);
    const changes = ran.changes.length;
    for (const { copies, seed } of [{ copies: 2, seed: undefined }, ...repeats]) {
      countRun("late messages, more than once and in another order");
      await recorder.unrecorded(() => ran.settleByRepeats(copies, seed));
    }
    expect(ran.changes.slice(changes)).toEqual([]);
    const { jobs: worksAfter, ...repeated } = await endOf(ran);
    expect(repeated).toEqual(settled);
    expect(worksAfter).toEqual(worksBefore);
  },
);
