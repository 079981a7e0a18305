import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HubError } from "#shared/ports/hub.ts";
import { disturbing } from "../../support/faults/disturbing.ts";
import { endOf } from "../../support/faults/end-state.ts";
import { interceptedPorts } from "../../support/faults/intercepted-ports.ts";
import { scenarios } from "../../support/faults/scenarios.ts";
import type { Scenario } from "../../support/golden/story.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

type Fault = "dies" | "loses the response";

/**
 * Runs a scenario with a fault at its write of this number: the process dies instead of it, or the write is made and the
 * process does not learn that. Then the next process receives the messages, with a fault at its own write of the next
 * number, if any; the resync tick comes later.
 */
function runWith(scenario: Scenario, fault: Fault, ...writes: readonly number[]) {
  return run(scenario, fault, writes, { isRedelivered: true });
}

/** Without redelivery only the tick continues what a process has left. */
async function run(
  scenario: Scenario,
  fault: Fault,
  writes: readonly number[],
  { isRedelivered }: Readonly<{ isRedelivered: boolean }>,
) {
  const numbers = writes.values();
  const writesUntilFault = () => numbers.next().value ?? Number.POSITIVE_INFINITY;
  let left = writesUntilFault();
  let isReached = false;
  const written = new Set<string>();
  const recorder = disturbing((ports) => {
    let hasFailed = false;
    const live = <Result>(work: () => Promise<Result>): Promise<Result> =>
      hasFailed && fault === "dies" ? Promise.reject(new Error("killed")) : work();
    const through = interceptedPorts(ports, {
      read: live,
      async write(what, work) {
        const isHit = !hasFailed && left-- === 0;
        if (isHit) {
          isReached = hasFailed = true;
          left = writesUntilFault();
        }
        const result = await live(work);
        // A hint costs one reconcile, and an outcome has its id.
        if (what !== "publish" && !what.startsWith("send ")) written.add(what);
        if (isHit) throw new HubError("Timeout", `the response to ${what} was lost`);
        return result;
      },
    });
    return { ...through, hasFailed: () => hasFailed && isRedelivered };
  });
  const ran = await scenario(recorder);
  await recorder.unrecorded(async () => {
    for (const seconds of [150, 150]) await ran.settleByTick(seconds);
  });
  return { end: await endOf(ran), written, isReached };
}

const undisturbedRuns = new Map<Scenario, ReturnType<typeof run>>();

/** Returns what a scenario ends with and writes without a fault, which is the same each time. */
function undisturbed(scenario: Scenario): ReturnType<typeof run> {
  const known = undisturbedRuns.get(scenario) ?? runWith(scenario, "dies");
  undisturbedRuns.set(scenario, known);
  return known;
}

describe.for(["dies", "loses the response"] as const)("When a process %s at any one write", (fault) => {
  test.for(scenarios)(
    "%s should end %s as an undisturbed run does, write nothing else, and lose no outcome",
    async ([, , scenario]) => {
      const clean = await undisturbed(scenario);
      for (let number = 0; ; number++) {
        countRun("a crash at one write or request");
        const { end, written, isReached } = await runWith(scenario, fault, number);
        expect(end, `write ${number + 1}`).toEqual(clean.end);
        expect([...written.difference(clean.written)], `write ${number + 1}`).toEqual([]);
        if (!isReached) break;
      }
    },
  );
});

const several = drawn(
  "several crashes",
  { ci: 5, soak: 400 },
  fc.record({
    scenario: fc.constantFrom(...scenarios),
    fault: fc.constantFrom<Fault>("dies", "loses the response"),
    writes: fc.array(fc.nat(6), { minLength: 2, maxLength: 5 }),
  }),
);

test("When several processes fail one after the other, the end should be that of an undisturbed run", async () => {
  for (const { scenario, fault, writes } of several) {
    const [name, title, story] = scenario;
    countRun("several crashes");
    const clean = await undisturbed(story);
    const { end, written } = await runWith(story, fault, ...writes);
    const what = `${name} ${title} ${fault} at writes ${writes}`;
    expect(end, what).toEqual(clean.end);
    expect([...written.difference(clean.written)], what).toEqual([]);
  }
});

test("When the messages of a process that dies did not come again, the end should be another at some write", async () => {
  async function isOtherAtSomeWrite([, , scenario]: (typeof scenarios)[number]): Promise<boolean> {
    const clean = await undisturbed(scenario);
    for (let number = 0; ; number++) {
      const { end, isReached } = await run(scenario, "dies", [number], { isRedelivered: false });
      if (!isReached) return false;
      if (!isDeepStrictEqual(end, clean.end)) return true;
    }
  }
  for (const scenario of scenarios) if (await isOtherAtSomeWrite(scenario)) return;
  expect.fail("redelivery makes no difference");
});
