import fc from "fast-check";
import { expect, test } from "vitest";
import { isKind, kinds } from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import { isSuspended } from "#shared/domain/precache-start/work/manifest-work.ts";
import type { ObjectChange } from "#shared/ports/hub.ts";
import { disturbing } from "../../support/faults/disturbing.ts";
import { endOf } from "../../support/faults/end-state.ts";
import { olderHub } from "../../support/faults/older-hub.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import type { Scenario } from "../../support/golden/story.ts";
import { start } from "../../support/precache/precache-system.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

const threeHours = 3 * 3600;

/** How many copies of each message come again, and what makes their order. */
const repeats = drawn(
  "late messages",
  { ci: 1, soak: 8 },
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

const isStart = ({ verb, object }: ObjectChange): boolean =>
  verb === "add" && isKind(kinds.ManifestWork, object) && runOf(object) !== undefined;

/**
 * Runs a scenario to its end. Then every message comes again, and the first process of each function that receives some
 * reads the hub as it was after so many changes; without a number nothing comes again.
 */
async function endAfterRepeats(scenario: Scenario, older?: number, { isClockRight = true } = {}) {
  let isRepeating = false;
  const late = new Set<string>();
  const { around, ...recorder } = disturbing((ports) => ports);
  const ran = await scenario({
    ...recorder,
    around(ports, controller, changes) {
      if (!isRepeating || late.has(controller.name)) return around(ports, controller, changes);
      late.add(controller.name);
      const now = isClockRight ? ports.now : () => start;
      return { ...ports, now, hub: olderHub(ports.hub, changes.slice(0, older)) };
    },
  });
  for (const seconds of [150, threeHours, 0, 0]) await ran.settleByTick(seconds);
  const settled = ran.changes.length;
  isRepeating = older !== undefined;
  if (isRepeating) await ran.settleByRepeats(1);
  isRepeating = false;
  for (const seconds of [0, 150, 150]) await ran.settleByTick(seconds);
  const before = ran.changes.slice(0, settled);
  const { hub } = await endOf(ran);
  return {
    hub,
    /** For each ManifestWork of a run, the number of changes that the process which created it had read. */
    starts: before.flatMap((change, number) => (isStart(change) ? [number] : [])),
    /** The works that were created again. */
    again: ran.changes.slice(settled).flatMap((change) => (isStart(change) ? [change.object] : [])),
  };
}

/** A slot that is still held, while another upgrade has started on the cluster. */
const ofRivals = "precache-cluster raced";

test("When messages come again hours later and are handled with old reads, no Job should run again, and nothing stay", async () => {
  let created = 0;
  for (const [name, title, scenario] of scenarios.filter((one) => `${one[0]} ${one[1]}` !== ofRivals)) {
    const clean = await endAfterRepeats(scenario);
    for (const older of clean.starts) {
      const { hub, again } = await endAfterRepeats(scenario, older);
      const what = `${name} ${title}, read after ${older} changes`;
      created += again.length;
      expect(
        again.filter((work) => !isSuspended(work)),
        what,
      ).toEqual([]);
      expect(hub, what).toEqual(clean.hub);
    }
  }
  expect(created).toBeGreaterThan(5);
});

test("When the process that handles an old message did not know how late it is, a Job should run again", async () => {
  for (const [, , scenario] of scenarios.filter((one) => `${one[0]} ${one[1]}` !== ofRivals)) {
    const { starts } = await endAfterRepeats(scenario);
    for (const older of starts) {
      const { again } = await endAfterRepeats(scenario, older, { isClockRight: false });
      if (!again.every(isSuspended)) return;
    }
  }
  expect.fail("the age of a claim makes no difference");
});
