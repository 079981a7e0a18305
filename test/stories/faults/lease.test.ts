import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub, ObjectChange } from "#shared/ports/hub.ts";
import { openshiftTiming } from "#shared/runtime/forwarder/leader-election.ts";
import { leaseCandidate } from "#shared/runtime/forwarder/lease-candidate.ts";
import { olderHub } from "../../support/faults/older-hub.ts";
import { countRun, times } from "../../support/setup/soak.ts";

/** A leader that has not renewed its Lease in time stops before another may lead. */
const { renewWithinMs, durationMs } = openshiftTiming;
const [minuteMs, hourMs] = [60_000, 3_600_000];

/** One attempt of a candidate. */
type Attempt = Readonly<{
  who: number;
  /** Time passes before it, and between its read and its write. */
  afterMs: number;
  pausedMs: number;
  /** It reads the Lease as it was so many changes ago. */
  age: number;
  /** The candidate's clock jumps. */
  jumpMs: number;
  isRelease: boolean;
}>;

const attempts = fc.array(
  fc.record<Attempt>({
    who: fc.nat(2),
    afterMs: fc.oneof(fc.nat(Math.round(durationMs / 5)), fc.nat(Math.round(1.3 * durationMs))),
    pausedMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3 * durationMs)),
    age: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(4)),
    jumpMs: fc.constantFrom(0, ...[5 * minuteMs, hourMs, 24 * hourMs].flatMap((ms) => [ms, -ms])),
    isRelease: fc.nat(9).map((number) => number === 0),
  }),
  { minLength: 5, maxLength: 60 },
);

/** Candidates for one Lease, all on one hub, with the time until which each of them leads. */
function anElection({ isGuarded }: Readonly<{ isGuarded: boolean }>) {
  let time = 0;
  const changes: ObjectChange[] = [];
  const hub = memoryHub({
    id: "urn:test:hub",
    now: () => new Date(time),
    onChange: (change) => changes.push(change),
  });
  const candidates = [0, 1, 2].map((number) => {
    const state = { jumpedMs: 0, age: 0, pausedMs: 0, leadsUntil: 0 };
    const lagging: Hub = {
      ...hub,
      async get(...args) {
        const found = await olderHub(hub, changes.slice(0, Math.max(0, changes.length - state.age))).get(
          ...args,
        );
        time += state.pausedMs;
        return found;
      },
      async update(object) {
        const [present] = hub.all(kinds.Lease);
        const { resourceVersion = "" } = (isGuarded ? object : present)?.metadata ?? {};
        return hub.update({ ...object, metadata: { ...object.metadata, resourceVersion } });
      },
    };
    const candidate = leaseCandidate({
      hub: lagging,
      lease: { namespace: "hubrelay", name: "hubrelay-forwarder" },
      identity: `pod-${number}`,
      durationMs,
      now: () => new Date(Date.parse("2026-03-01T02:00:00Z") + time + state.jumpedMs),
      // Monotonic clocks begin anywhere.
      elapsedMs: () => time + number * 7 * hourMs,
    });
    return { state, candidate };
  });
  /** Makes an attempt, and returns the candidates that lead at its end. */
  return async ({ who, afterMs, pausedMs, age, jumpMs, isRelease }: Attempt): Promise<readonly number[]> => {
    time += afterMs;
    const { state, candidate } = candidates[who] ?? {};
    if (!state || !candidate) throw new Error("there are three candidates");
    Object.assign(state, { jumpedMs: state.jumpedMs + jumpMs, age, pausedMs });
    const startedMs = time;
    if (isRelease) {
      // Who releases the Lease has stopped leading before.
      state.leadsUntil = 0;
      await candidate.release().catch(() => undefined);
    } else {
      const { held } = await candidate.hold();
      state.leadsUntil = held ? startedMs + renewWithinMs : 0;
    }
    return candidates.flatMap((one, number) => (one.state.leadsUntil > time ? [number] : []));
  };
}

async function leadersOf(all: readonly Attempt[], isGuarded: boolean): Promise<number> {
  const attempt = anElection({ isGuarded });
  let most = 0;
  for (const one of all) most = Math.max(most, (await attempt(one)).length);
  return most;
}

const numRuns = times({ ci: 100, soak: 20_000 });

test("When candidates read an older Lease, are paused, and their clocks jump, at most one should lead", async () => {
  await fc.assert(
    fc.asyncProperty(attempts, async (all) => {
      countRun("candidates that lag, pause and have wrong clocks");
      expect(await leadersOf(all, true)).toBeLessThanOrEqual(1);
    }),
    { numRuns },
  );
});

test("When the hub did not compare versions, two should lead at some time", async () => {
  const found = await fc.check(
    fc.asyncProperty(attempts, async (all) => (await leadersOf(all, false)) <= 1),
    { numRuns },
  );
  expect(found.failed).toBe(true);
});
