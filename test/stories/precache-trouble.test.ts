import fc from "fast-check";
import { expect, test } from "vitest";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { feedbackOf, isFinished } from "#shared/domain/precache-progress/feedback.ts";
import { HubError } from "#shared/ports/hub.ts";
import { seededRandom } from "../../cli/simulation/fates.ts";
import { ended, running, suspended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { countRun, times } from "../support/setup/soak.ts";

const fleet = (count: number) => Array.from({ length: count }, (_, index) => `sno${index + 1}`);

/** Everything outstanding happens: agents report, ticks repeat lost events, time passes. */
async function toTheEnd(system: PrecacheSystem, failing: ReadonlySet<string>): Promise<void> {
  system.forward(true);
  for (let round = 0; round < 40; round++) {
    system.resync();
    await system.settle();
    for (const work of system.works()) {
      const cluster = work.metadata.namespace ?? "";
      const isHeld = feedbackOf(work)?.isHeld;
      system.report(isHeld ? suspended : ended(failing.has(cluster) ? "fails" : "succeeds"), [cluster]);
    }
    await system.settle();
    system.pass(31);
    const states = Object.values(system.states());
    if (states.length === Object(system.upgrade()?.status).precaching.clusters.length)
      if (
        states.every((state) => isFinalState(state)) &&
        system.queues.values().every((some) => some.every(({ at }) => at > system.now().getTime()))
      )
        return;
  }
}

/** Everything that may happen in any order. */
const fleetEvent = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant("batch" as const),
      of: fc.nat(1),
      batchSize: fc.integer({ min: 1, max: 12 }),
      killedAfter: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(14)),
      shuffle: fc.boolean(),
      repeat: fc.boolean(),
      lose: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant("report" as const), cluster: fc.nat(5), stage: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant("pass" as const), seconds: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("forward" as const), isOn: fc.boolean() }) },
);

test("When events come in any order, twice or never and functions are killed at any request, every cluster should end correctly, after one Job", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fleetEvent, { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      fc.subarray(fleet(6)),
      async (happenings, maxConcurrency, failures) => {
        countRun("messages lost, doubled and reordered, and kills");
        const clusters = fleet(6);
        const failing = new Set(failures);
        const system = precacheSystem();
        system.plan(aPlannedUpgrade(clusters, { maxConcurrency }));
        for (const event of happenings) {
          if (event.what === "pass") system.pass(event.seconds);
          if (event.what === "forward") system.forward(event.isOn);
          if (event.what === "report") {
            const cluster = clusters[event.cluster] ?? "";
            const end = ended(failing.has(cluster) ? "fails" : "succeeds");
            // A Job that has ended does not run any more.
            const [work] = system.works(cluster);
            const feedback = work && feedbackOf(work);
            if (feedback && !isFinished(feedback))
              system.report(
                feedback.isHeld ? suspended : event.stage === 2 ? end : running(event.stage / 2),
                [cluster],
              );
          }
          if (event.what === "batch") {
            const { of, batchSize, killedAfter, shuffle, repeat, lose } = event;
            const disturb = (messages: { body: string; at: number; receives: number }[]) => {
              if (shuffle) messages.reverse();
              if (repeat && messages[0]) messages.push({ ...messages[0] });
              // Planning repeats its hints until they are sent: only changes get lost.
              if (lose && of === 1) messages.shift();
            };
            const controller = system.served[of];
            if (controller) await system.step(controller, { batchSize, disturb }, killedAfter);
          }
          expect(system.mayRun().length).toBeLessThanOrEqual(maxConcurrency);
        }
        await toTheEnd(system, failing);
        const wanted = clusters.map((cluster) => [
          cluster,
          failing.has(cluster) ? "UnrecoverableError" : "Succeeded",
        ]);
        expect(system.states()).toEqual(Object.fromEntries(wanted));
        for (const cluster of clusters) expect(system.jobs.get(cluster)).toHaveLength(1);
      },
    ),
    { numRuns: times({ ci: 25, soak: 400 }) },
  );
});

test.for([
  { code: "TooManyRequests", percent: 30 },
  { code: "InternalError", percent: 20 },
  { code: "Timeout", percent: 10 },
] as const)(
  "When $percent % of the requests are answered with $code, every cluster should end correctly after one Job, and only what failed be repeated",
  async ({ code, percent }) => {
    const random = seededRandom(7);
    const system = precacheSystem((request) =>
      random() * 100 < percent ? new HubError(code, `${request} was refused`) : undefined,
    );
    const clusters = fleet(40);
    system.plan(aPlannedUpgrade(clusters));
    for (let round = 0; round < 60; round++) {
      await system.settle({ batchSize: 10 });
      system.pass(2);
    }
    system.report(ended("succeeds"));
    for (let round = 0; round < 60; round++) {
      await system.settle({ batchSize: 10 });
      system.pass(2);
    }
    expect(Object.values(system.states())).toEqual(clusters.map(() => "Succeeded"));
    for (const cluster of clusters) expect(system.jobs.get(cluster)).toHaveLength(1);
    expect(system.count("create ManifestWork")).toBeLessThan(40 * 2);
    expect(system.deadLetters).toEqual([]);
  },
);
