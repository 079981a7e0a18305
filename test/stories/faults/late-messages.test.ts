import { expect, test } from "vitest";
import { disturbing } from "../../support/faults/disturbing.ts";
import { endOf } from "../../support/faults/end-state.ts";
import { scenarios } from "../../support/faults/scenarios.ts";

const threeHours = 3 * 3600;

test.for(scenarios)(
  "When every message of %s in %s comes again hours later, twice and in reverse order, nothing should be written",
  async ([, , scenario]) => {
    const recorder = disturbing((ports) => ports);
    const ran = await scenario(recorder);
    // What follows from one tick may wait for the next.
    for (const seconds of [150, threeHours, 0, 0]) await recorder.unrecorded(() => ran.settleByTick(seconds));
    const { jobs, ...settled } = await endOf(ran);
    const worksBefore = new Map(jobs);
    const changes = ran.changes.length;
    await recorder.unrecorded(() => ran.settleByRepeats());
    expect(ran.changes.slice(changes)).toEqual([]);
    const { jobs: worksAfter, ...repeated } = await endOf(ran);
    expect(repeated).toEqual(settled);
    expect(worksAfter).toEqual(worksBefore);
  },
);
