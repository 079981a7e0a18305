import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { disturbing } from "../../support/faults/disturbing.ts";
import { endOf } from "../../support/faults/end-state.ts";
import { interceptedPorts } from "../../support/faults/intercepted-ports.ts";
import { olderHub } from "../../support/faults/older-hub.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import { withoutVersions } from "../../support/faults/without-versions.ts";
import type { Scenario } from "../../support/golden/story.ts";
import { countRun, times } from "../../support/setup/soak.ts";

const maxAge = times({ ci: 4, soak: 1_000 });

/** Events and hints may be written in vain: the Event is deleted again, and a hint costs one reconcile. */
const isOfNoConsequence = (what: string): boolean =>
  what === "publish" || what.startsWith("send ") || what.includes(" Event/");

/**
 * Runs a scenario whose every batch is first handled by a process that reads the hub as it was so many changes ago, and
 * then, as after a tick, by one that reads the present.
 */
async function runWith(scenario: Scenario, age: number, { isGuarded = true } = {}) {
  let isStale = false;
  let oldest = 0;
  const written = new Set<string>();
  const recorder = disturbing((ports, changes, settled) => {
    isStale = !isStale && age > 0;
    oldest = Math.max(oldest, changes.length - settled);
    const hasFailed = isStale;
    const older = olderHub(ports.hub, changes.slice(0, Math.max(settled, changes.length - age)));
    const hub = isGuarded ? older : withoutVersions(older, ports.hub);
    const through = interceptedPorts(isStale ? { ...ports, hub } : ports, {
      read: (work) => work(),
      async write(what, work) {
        const result = await work();
        if (!isOfNoConsequence(what)) written.add(what);
        return result;
      },
    });
    return { ...through, hasFailed: () => hasFailed };
  });
  const ran = await scenario(recorder);
  await recorder.unrecorded(async () => {
    for (const seconds of [150, 150]) await ran.settleByTick(seconds);
  });
  return { end: await endOf(ran), written, oldest };
}

/** All but one in which a cluster is started: no version guards a creation, only its age (`paused.test.ts`). */
const guarded = scenarios.filter(([name, title]) => `${name} ${title}` !== "precache-cluster raced");

test.for(guarded)(
  "When %s first reads an older hub in %s, its writes should be refused or equal what is there",
  async ([, , scenario]) => {
    const clean = await runWith(scenario, 0);
    for (let age = 1; age <= Math.min(maxAge, clean.oldest); age++) {
      countRun("processes that read an older hub");
      const { end, written } = await runWith(scenario, age);
      expect(end, `read ${age} changes ago`).toEqual(clean.end);
      expect([...written.difference(clean.written)], `read ${age} changes ago`).toEqual([]);
    }
  },
);

test("When the hub did not compare versions, an old read should leave another result or another write", async () => {
  for (const [, , scenario] of guarded) {
    const clean = await runWith(scenario, 0);
    for (let age = 1; age <= Math.min(4, clean.oldest); age++) {
      const { end, written } = await runWith(scenario, age, { isGuarded: false });
      if (!isDeepStrictEqual(end, clean.end) || !written.isSubsetOf(clean.written)) return;
    }
  }
  expect.fail("versions make no difference");
});
