import fc from "fast-check";
import { expect, test } from "vitest";
import { aRun, aWork, reported } from "../../../test/support/precache/precache-objects.ts";
import { type ClusterRecord, isPulling, newRecord } from "../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../precache-model/cluster-state.ts";
import { nextDeadline, recordInTime } from "./deadlines.ts";
import { feedbackOf, type WorkFeedback } from "./feedback.ts";
import { recordAfter } from "./record-after.ts";

const start = new Date("2026-03-01T02:00:00Z");
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000);

type Report = Parameters<typeof reported>[1];
/** The feedback of a run's ManifestWork with the agent's report, if there is one. */
function feedbackWith(report: Report | undefined, attempt = 1): WorkFeedback {
  const work = aWork("sno1", { ...aRun, attempt });
  const feedback = feedbackOf(report ? reported(work, report) : work);
  if (!feedback) throw new Error("a work without feedback");
  return feedback;
}
const held = (report: Report | undefined): WorkFeedback => ({ ...feedbackWith(report), isHeld: true });
const fresh = newRecord(1, start);
const settle = (record: ClusterRecord, feedback: readonly WorkFeedback[], now = start) =>
  feedback.reduce((before, one) => recordAfter(before, one, now), record);

const active = { job: { active: 1 } } satisfies Report;
const complete = { job: { complete: "True" } } satisfies Report;
const failed = { job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" } } satisfies Report;
const timedOut = { job: { failedStatus: "True", failedReason: "DeadlineExceeded" } } satisfies Report;

/** TALM's table of a run whose ManagedClusterViews all have results: which states follow each other. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  NotStarted: ["Starting", "Active", "Succeeded", "PrecacheTimeout", "UnrecoverableError", "NotStarted"],
  Starting: ["Active", "Succeeded", "PrecacheTimeout", "UnrecoverableError", "Starting", "NotStarted"],
  Active: ["Active", "Starting", "Succeeded", "PrecacheTimeout", "UnrecoverableError"],
  Succeeded: ["Succeeded"],
  PrecacheTimeout: ["PrecacheTimeout"],
  UnrecoverableError: ["UnrecoverableError"],
};

/** One run's reports in the order of the run, with or without its early ones. */
const histories = fc
  .record({
    early: fc.subarray([undefined, { applied: "False", message: "no" } as const, {}, active] as const),
    end: fc.constantFrom(complete, failed, timedOut),
  })
  .map(({ early, end }) => [...early, end].map((report) => feedbackWith(report)));

test("When a run is read with gaps and repeatedly, its end should be the same", () => {
  const readings = histories.chain((history) =>
    fc.record({ history: fc.constant(history), read: fc.subarray(history.slice(0, -1)) }),
  );
  fc.assert(
    fc.property(readings, ({ history, read }) => {
      const end = history.slice(-1);
      const { state, reason, message } = settle(fresh, [...read, ...read, ...end, ...end]);
      const wanted = settle(fresh, history);
      expect({ state, reason, message }).toEqual({
        state: wanted.state,
        reason: wanted.reason,
        message: wanted.message,
      });
      expect(isFinalState(state)).toBe(true);
    }),
  );
});

test("When reports come in any order and time passes, no state should follow another but as TALM has it", () => {
  const steps = fc.oneof(
    histories.chain((history) => fc.constantFrom(...history)).map((feedback) => ({ feedback, seconds: 0 })),
    fc.nat(20_000).map((seconds) => ({ feedback: undefined, seconds })),
  );
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 20 }), (taken) => {
      let record = fresh;
      let now = start;
      for (const { feedback, seconds } of taken) {
        now = new Date(now.getTime() + seconds * 1000);
        const next = feedback ? recordAfter(record, feedback, now) : recordInTime(record, 240, now);
        expect(allowed[record.state]).toContain(next.state);
        record = next;
      }
    }),
  );
});

test("When an earlier attempt is read, it should not affect the later one", () => {
  const again = newRecord(2, start);
  expect(recordAfter(again, feedbackWith(failed, 1), start)).toBe(again);
});

test.for<Readonly<{ what: string; feedback: WorkFeedback }>>([
  { what: "waits for its agent", feedback: feedbackWith(undefined) },
  { what: "waits for its agent and is to pause", feedback: held(undefined) },
  { what: "is applied", feedback: feedbackWith({}) },
  { what: "is refused", feedback: feedbackWith({ applied: "False", message: "no" }) },
  { what: "pulls", feedback: feedbackWith({ ...active, progress: { imagesDone: "3" } }) },
  { what: "is suspended", feedback: held({ job: { suspended: "True" } }) },
  { what: "has ended", feedback: feedbackWith(complete) },
])("When a run that $what is read again, nothing should change", ({ feedback }) => {
  for (const before of [fresh, { ...fresh, state: "PreparingToStart" } as const]) {
    const once = recordAfter(before, feedback, start);
    expect(recordAfter(once, feedback, after(30))).toBe(once);
  }
});

test("When the agent has not seen the latest change yet, nothing should change", () => {
  const running = settle(fresh, [feedbackWith(active)]);
  expect(recordAfter(running, { ...feedbackWith({}), isStale: true }, start)).toBe(running);
});

test.for([
  {
    what: "was created long after its claim",
    created: "2026-03-01T02:02:10Z",
    started: "2026-03-01T02:02:10Z",
  },
  { what: "is older than its claim", created: "2026-02-28T02:00:00Z", started: "2026-03-01T02:00:00Z" },
])("When the work of a cluster with a slot $what, its deadline should start with the later one", (given) => {
  const { created, started } = given;
  const claim = { ...fresh, state: "PreparingToStart", reason: "Claimed", started: fresh.since } as const;
  for (const report of [undefined, active])
    expect(recordAfter(claim, { ...feedbackWith(report), created }, after(131))).toMatchObject({ started });
});

test("When a running work is going, the cluster should start again; when it had ended, not", () => {
  const running = settle(fresh, [feedbackWith(active)]);
  expect(recordAfter(running, { ...feedbackWith(active), isDeleting: true }, start)).toMatchObject({
    state: "PreparingToStart",
    reason: "Removed",
  });
  expect(recordAfter(running, { ...feedbackWith(complete), isDeleting: true }, start)).toMatchObject({
    state: "Succeeded",
  });
});

test("When images are counted, the record should hold the counts", () => {
  const report = {
    ...active,
    progress: { imagesDone: "12", imagesTotal: "190", bytesDone: "x" },
  };
  const record = recordAfter(fresh, feedbackWith(report), start);
  expect(record).toMatchObject({ state: "Active", imagesDone: 12, imagesTotal: 190 });
  expect(record).not.toHaveProperty("bytesDone");
});

test("When the workload does not know a total, and reports zero, the record should hold no count of it", () => {
  const progress = { imagesDone: "0", imagesTotal: "0", bytesDone: "0", bytesTotal: "0" };
  const record = recordAfter(fresh, feedbackWith({ ...active, progress }), start);
  expect(record).toMatchObject({ state: "Active" });
  for (const field of ["imagesDone", "imagesTotal", "bytesDone", "bytesTotal"])
    expect(record).not.toHaveProperty(field);
});

const outOfReach = recordInTime(recordAfter(fresh, feedbackWith(undefined), start), 240, after(90));

test("When the agent is unreachable, the cluster should release its slot, but not before its Job is suspended", () => {
  const waiting = recordAfter(fresh, feedbackWith(undefined), start);
  expect(recordInTime(waiting, 240, after(89))).toBe(waiting);
  expect(outOfReach).toMatchObject({ state: "Starting", reason: "ClusterNotReached" });
  expect(isRunningState(outOfReach.state)).toBe(true);
  const free = recordAfter(outOfReach, held(undefined), after(92));
  expect(free).toMatchObject({ state: "NotStarted", reason: "ClusterNotReached" });
  expect(nextDeadline(free, 240)).toEqual(after(240 * 60));
});

test("When a window had suspended its Job already, it should release the slot", () => {
  const suspended = recordAfter(fresh, held(undefined), start);
  expect(suspended).toMatchObject({ reason: "WaitsForAgent", suspend: true });
  const unreached = recordInTime(suspended, 240, after(90));
  expect(recordAfter(unreached, held(undefined), after(91))).toMatchObject({ state: "NotStarted" });
});

test.for([
  { what: "its slot went to another", before: recordAfter(outOfReach, held(undefined), after(92)) },
  { what: "the suspension of its Job was not reported yet", before: outOfReach },
])(
  "When a cluster returns and $what, it should wait for a slot, however late its Job is reported as suspended",
  ({ before }) => {
    const applied = recordAfter(before, held({}), after(3600));
    expect(applied).toMatchObject({ state: "NotStarted", reason: "Returned" });
    expect(nextDeadline(applied, 240)).toBeUndefined();
    const back = recordAfter(applied, held({ job: { suspended: "True" } }), after(3601));
    expect(back).toMatchObject({ state: "NotStarted", reason: "Returned" });
  },
);

test("When a cluster returns before its Job is suspended, it should keep its slot", () => {
  const back = recordAfter(outOfReach, feedbackWith(active), after(3600));
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
    const running = recordAfter(fresh, feedbackWith(report), start);
    const due = nextDeadline(recordInTime(running, 240, after(90)), 240);
    expect(due).toBeDefined();
    const ended = recordInTime(recordInTime(running, 240, after(90)), 240, due ?? start);
    expect(ended).toMatchObject({ state, reason });
    expect(nextDeadline(ended, 240)).toBeUndefined();
  },
);

test("When a Job is suspended, its deadline should pause; when it continues, the deadline should restart", () => {
  const suspended = settle(fresh, [feedbackWith(active), feedbackWith({ job: { suspended: "True" } })]);
  expect(suspended).toMatchObject({ state: "Starting", reason: "Suspended" });
  expect(nextDeadline(suspended, 240)).toBeUndefined();
  expect(recordInTime(suspended, 240, after(90_000))).toBe(suspended);
  const resumed = recordAfter(suspended, feedbackWith(active), after(90_000));
  expect(nextDeadline(resumed, 240)).toEqual(after(90_000 + 240 * 60 + 120));
});

test("When a Job is suspended although no record says so, the record should say so from then on", () => {
  const suspended = held({ job: { suspended: "True" } });
  const pulling = settle(fresh, [feedbackWith(active)]);
  expect(recordAfter(pulling, suspended, start)).toMatchObject({ reason: "Suspended", suspend: true });
  expect(recordAfter({ ...pulling, suspend: false }, suspended, start).suspend).toBe(false);
  const claimed = { ...fresh, state: "PreparingToStart", reason: "Claimed" } as const;
  expect(recordAfter(claimed, suspended, start)).toEqual({ ...claimed, suspend: false });
});

test.for<readonly [what: string, fields: Partial<ClusterRecord>, isPulling: boolean]>([
  ["has a slot", { state: "PreparingToStart", reason: "Claimed" }, true],
  ["pulls", { state: "Active", reason: "Pulling" }, true],
  ["is suspended", { state: "Starting", reason: "Suspended", suspend: true }, false],
  ["was resumed just now", { state: "Starting", reason: "Suspended", suspend: false }, true],
  ["is unreachable", { state: "Starting", reason: "ClusterNotReached" }, false],
  ["waits", {}, false],
  ["has ended", { state: "Succeeded", reason: "Completed" }, false],
])("When a cluster $0, it should count on its link: $2", ([, fields, expected]) => {
  const record = { ...fresh, ...fields };
  expect(isPulling(record.state, record)).toBe(expected);
});
