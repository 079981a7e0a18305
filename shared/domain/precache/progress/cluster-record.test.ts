import fc from "fast-check";
import { expect, test } from "vitest";
import { aRun, aWork, reported } from "../../../../test/support/precache/precache-objects.ts";
import { isFinalState, isRunningState } from "../model/cluster-state.ts";
import { feedbackOf } from "../work/feedback.ts";
import {
  type ClusterRecord,
  newRecord,
  nextDeadline,
  recordAfter,
  recordAfterMessage,
  recordInTime,
  type WorkObservation,
} from "./cluster-record.ts";

const start = new Date("2026-03-01T02:00:00Z");
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000);

type Report = Parameters<typeof reported>[1];
/** The agent's reports of one run, in order. */
function sightingOf(report: Report | undefined, version: number, attempt = 1): WorkObservation {
  const work = aWork("sno1", { ...aRun, attempt });
  const feedback = feedbackOf(report ? reported(work, report) : work);
  if (!feedback) throw new Error("a work without feedback");
  return { feedback, resourceVersion: String(version) };
}
const fresh = newRecord(1, start);
const settle = (record: ClusterRecord, observations: readonly WorkObservation[], now = start) =>
  observations.reduce((before, observation) => recordAfter(before, observation, now), record);

const active = { job: { active: 1 } } satisfies Report;
const complete = { job: { complete: "True" } } satisfies Report;
const failed = { job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" } } satisfies Report;
const timedOut = { job: { failedStatus: "True", failedReason: "DeadlineExceeded" } } satisfies Report;

/** TALM's table of a run whose views are all answered: which states follow each other. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  NotStarted: ["Starting", "Active", "Succeeded", "PrecacheTimeout", "UnrecoverableError", "NotStarted"],
  Starting: ["Active", "Succeeded", "PrecacheTimeout", "UnrecoverableError", "Starting", "NotStarted"],
  Active: ["Active", "Starting", "Succeeded", "PrecacheTimeout", "UnrecoverableError"],
  Succeeded: ["Succeeded"],
  PrecacheTimeout: ["PrecacheTimeout"],
  UnrecoverableError: ["UnrecoverableError"],
};

/** One run's reports, each newer than the one before, with or without an end. */
const histories = fc
  .record({
    early: fc.subarray([undefined, { applied: "False", message: "no" } as const, {}, active] as const),
    end: fc.constantFrom(complete, failed, timedOut),
  })
  .map(({ early, end }) => [...early, end].map((report, index) => sightingOf(report, 98 + index)));

test("When reports come in any order, repeated and with gaps, the end should be the one of the order they were made in", () => {
  const deliveries = histories.chain((history) =>
    fc.record({
      history: fc.constant(history),
      // The last one is always among them: a list finds it when its event was lost.
      delivered: fc
        .array(fc.constantFrom(...history), { maxLength: 12 })
        .chain((some) =>
          fc.shuffledSubarray([...some, ...history.slice(-1)], { minLength: some.length + 1 }),
        ),
    }),
  );
  fc.assert(
    fc.property(deliveries, ({ history, delivered }) => {
      const wanted = settle(fresh, history);
      const { state, reason, message, seen } = settle(fresh, delivered);
      expect({ state, reason, message, seen }).toEqual({
        state: wanted.state,
        reason: wanted.reason,
        message: wanted.message,
        seen: wanted.seen,
      });
      expect(isFinalState(state)).toBe(true);
    }),
  );
});

test("When reports come in any order and time passes, no state should follow another but as TALM has it", () => {
  const steps = fc.oneof(
    histories
      .chain((history) => fc.constantFrom(...history))
      .map((observation) => ({ observation, seconds: 0 })),
    fc.nat(20_000).map((seconds) => ({ observation: undefined, seconds })),
  );
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 20 }), (taken) => {
      let record = fresh;
      let now = start;
      for (const { observation, seconds } of taken) {
        now = new Date(now.getTime() + seconds * 1000);
        const next = observation ? recordAfter(record, observation, now) : recordInTime(record, 240, now);
        expect(allowed[record.state]).toContain(next.state);
        record = next;
      }
    }),
  );
});

test("When a report of an earlier attempt comes late, it should not affect the later one", () => {
  const again = newRecord(2, start);
  expect(recordAfter(again, sightingOf(failed, 500, 1), start)).toBe(again);
});

test("When the same report comes again, it should change nothing", () => {
  const once = recordAfter(fresh, sightingOf(active, 100), start);
  expect(recordAfter(once, sightingOf(active, 100), after(30))).toBe(once);
  expect(recordAfter(once, sightingOf(active, 99), after(30))).toBe(once);
});

test("When versions have another number of digits, the larger number should be the newer", () => {
  const running = recordAfter(fresh, sightingOf(active, 999), start);
  expect(recordAfter(running, sightingOf(complete, 1000), start).state).toBe("Succeeded");
});

test.for(["99999999999999999999", "zzzz"])(
  "When a record remembers the version %s, what is read should count all the same, and be remembered",
  (seen) => {
    const frozen = { ...recordAfter(fresh, sightingOf(active, 100), start), seen };
    const read = { ...sightingOf({ job: { suspended: "True" } }, 101), isRead: true };
    expect(recordAfter(frozen, read, start)).toMatchObject({ reason: "Suspended", seen: "101" });
  },
);

const waiting = recordAfter(fresh, sightingOf(undefined, 100), start);
const pulling = recordAfter(waiting, sightingOf(active, 101), start);
const refused = { applied: "False", message: "forbidden" } satisfies Report;

test.for<{ what: string; before: ClusterRecord; report: Report | undefined; believed: string | undefined }>([
  {
    what: "a claimed run is created",
    before: { ...fresh, state: "PreparingToStart" },
    report: undefined,
    believed: "WaitsForAgent",
  },
  { what: "a run that waits is applied", before: waiting, report: {}, believed: "Applied" },
  { what: "a run that waits pulls", before: waiting, report: active, believed: "Pulling" },
  { what: "a run without a place pulls", before: fresh, report: active, believed: undefined },
  { what: "a run that pulls has not begun", before: pulling, report: {}, believed: undefined },
  { what: "a run that pulls has ended", before: pulling, report: complete, believed: undefined },
  {
    what: "a run that pulls is suspended",
    before: pulling,
    report: { job: { suspended: "True" } },
    believed: undefined,
  },
  { what: "a run that waits is refused", before: waiting, report: refused, believed: undefined },
  {
    what: "an unreached run pulls",
    before: recordInTime(waiting, 240, after(90)),
    report: active,
    believed: undefined,
  },
])("When a message says that $what, it should be recorded as $believed", ({ before, report, believed }) => {
  expect(recordAfterMessage(before, sightingOf(report, 200), start)?.reason).toBe(believed);
});

test("When a running work is gone, the cluster should start again; when it had ended, not", () => {
  const running = settle(fresh, [sightingOf(active, 100)]);
  expect(recordAfter(running, { ...sightingOf(active, 100), isGone: true }, start)).toMatchObject({
    state: "PreparingToStart",
  });
  expect(recordAfter(running, { ...sightingOf(complete, 101), isGone: true }, start)).toMatchObject({
    state: "Succeeded",
  });
});

test("When images are counted, the record should hold the counts", () => {
  const report = {
    ...active,
    progress: { imagesDone: "12", imagesTotal: "190", bytesDone: "x", bytesFree: "7" },
  };
  const record = recordAfter(fresh, sightingOf(report, 100), start);
  expect(record).toMatchObject({ state: "Active", imagesDone: 12, imagesTotal: 190, bytesFree: 7 });
  expect(record).not.toHaveProperty("bytesDone");
});

const held = (report: Report | undefined, version: number): WorkObservation => {
  const { feedback, resourceVersion } = sightingOf(report, version);
  return { feedback: { ...feedback, isHeld: true }, resourceVersion };
};
const outOfReach = recordInTime(recordAfter(fresh, sightingOf(undefined, 100), start), 240, after(90));

test("When the agent is unreachable, the cluster should release its slot, but not before its Job is suspended", () => {
  const waiting = recordAfter(fresh, sightingOf(undefined, 100), start);
  expect(recordInTime(waiting, 240, after(89))).toBe(waiting);
  expect(outOfReach).toMatchObject({ state: "Starting", reason: "ClusterNotReached" });
  expect(isRunningState(outOfReach.state)).toBe(true);
  const free = recordAfter(outOfReach, held(undefined, 101), after(92));
  expect(free).toMatchObject({ state: "NotStarted", reason: "ClusterNotReached" });
  expect(nextDeadline(free, 240)).toEqual(after(240 * 60));
});

test("When a window had suspended its Job already, the same version should release the slot", () => {
  const suspended = recordAfter(fresh, held(undefined, 100), start);
  const unreached = recordInTime(suspended, 240, after(90));
  expect(recordAfter(unreached, held(undefined, 100), after(91))).toMatchObject({ state: "NotStarted" });
});

test.for([
  { what: "its place was given away", before: recordAfter(outOfReach, held(undefined, 101), after(92)) },
  { what: "nobody had heard that its Job was suspended", before: outOfReach },
])(
  "When a cluster returns and $what, it should wait for a place, however late the Job tells that it is suspended",
  ({ before }) => {
    const applied = recordAfter(before, held({}, 102), after(3600));
    expect(applied).toMatchObject({ state: "NotStarted", reason: "Returned" });
    expect(nextDeadline(applied, 240)).toBeUndefined();
    const back = recordAfter(applied, held({ job: { suspended: "True" } }, 103), after(3601));
    expect(back).toMatchObject({ state: "NotStarted", reason: "Returned" });
  },
);

test("When a cluster returns before its Job is suspended, it should keep its slot", () => {
  const back = recordAfter(outOfReach, sightingOf(active, 101), after(3600));
  expect(back).toMatchObject({ state: "Active", started: "2026-03-01T03:00:00Z" });
});

test.for([
  { what: "never came back", report: undefined, state: "PrecacheTimeout", reason: "ClusterNotReached" },
  { what: "went silent while it pulled", report: active, state: "PrecacheTimeout", reason: "NoReport" },
  {
    what: "refuses an object",
    report: { applied: "False", message: "forbidden" } as const,
    state: "UnrecoverableError",
    reason: "NotApplied",
  },
])(
  "When the deadline has passed and the cluster $what, it should end as $state",
  ({ report, state, reason }) => {
    const running = recordAfter(fresh, sightingOf(report, 100), start);
    const due = nextDeadline(recordInTime(running, 240, after(90)), 240);
    expect(due).toBeDefined();
    const ended = recordInTime(recordInTime(running, 240, after(90)), 240, due ?? start);
    expect(ended).toMatchObject({ state, reason });
    expect(nextDeadline(ended, 240)).toBeUndefined();
  },
);

test("When a Job is suspended, its deadline should pause; when it continues, the deadline should restart", () => {
  const suspended = settle(fresh, [sightingOf(active, 100), sightingOf({ job: { suspended: "True" } }, 101)]);
  expect(suspended).toMatchObject({ state: "Starting", reason: "Suspended" });
  expect(nextDeadline(suspended, 240)).toBeUndefined();
  expect(recordInTime(suspended, 240, after(90_000))).toBe(suspended);
  const resumed = recordAfter(suspended, sightingOf(active, 102), after(90_000));
  expect(nextDeadline(resumed, 240)).toEqual(after(90_000 + 240 * 60 + 120));
});
