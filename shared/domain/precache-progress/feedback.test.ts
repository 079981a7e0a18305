import fc from "fast-check";
import { expect, test } from "vitest";
import { aRun, aWork, reported } from "../../../test/support/precache/precache-objects.ts";
import { countOf } from "../precache-model/cluster-record.ts";
import { withSuspend } from "../precache-start/work/manifest-work.ts";
import { feedbackOf, runStateOf } from "./feedback.ts";

const stateOf = (work: ReturnType<typeof aWork>) => {
  const feedback = feedbackOf(work);
  return feedback && runStateOf(feedback);
};
const deleting = { deletionTimestamp: "2026-03-01T03:00:00Z" };

type Report = Parameters<typeof reported>[1];
type Progress = Report["progress"];
const complete = (progress: Progress = {}): Report => ({ job: { complete: "True" }, progress });
const failed = (failedReason: string, progress: Progress = {}): Report => ({
  job: { failedStatus: "True", failedReason },
  progress,
});
const [backoff, deadline] = ["BackoffLimitExceeded", "DeadlineExceeded"] as const;
const deadlinePassed = "The Job reached its deadline; what was pulled stays.";
const notFound = { reason: "PackagesNotFound", detail: "no index has a:stable; all else is on the node" };
const trouble = { reason: "Unauthorized", image: "quay.io/a/app@sha256:1", detail: "no login" };
const whyTrouble = "quay.io/a/app@sha256:1: no login";
const killed = "The workload was killed while it pulled, perhaps because it reached its memory limit.";
const suspended = "The Job is suspended; what was pulled stays.";

/** What each report of a ManifestWork means, in TALM's words; without a message where any will do. */
test.for<readonly [what: string, report: Report | undefined, found: string, message?: string]>([
  ["nothing", undefined, "Starting WaitsForAgent", "The cluster's agent has not applied it yet."],
  ["that it is applied", {}, "Starting Applied", "The Job is created and has not started."],
  ["that the Job runs", { job: { active: 1 } }, "Active Pulling", "The Job runs."],
  ["what only the hub may find", { job: { active: 1 }, progress: { reason: "Suspended" } }, "Active Pulling"],
  ["a reason of the hub", failed("X", { reason: "ClusterNotReached" }), "UnrecoverableError JobFailed"],
  ["an earlier success of a Job that runs", { job: { active: 1, succeeded: 1 } }, "Active Pulling"],
  ["that the Job is complete", complete(), "Succeeded Completed", "Every image is on the cluster."],
  ["a package that no index has", complete(notFound), "Succeeded PackagesNotFound", notFound.detail],
  ["a failed pull before the end", complete({ reason: "PullFailed", detail: "x" }), "Succeeded Completed"],
  ["a success without its condition", { job: { succeeded: 1, failed: 1 } }, "Succeeded Completed"],
  ["a deadline", failed(deadline), "PrecacheTimeout DeadlineExceeded", deadlinePassed],
  [
    "an interruption",
    failed(deadline, { reason: "Interrupted" }),
    `PrecacheTimeout ${deadline}`,
    deadlinePassed,
  ],
  ["a late pull", failed(deadline, { reason: "Pulling" }), `PrecacheTimeout ${deadline}`, deadlinePassed],
  ["a deadline in trouble", failed(deadline, trouble), `PrecacheTimeout ${deadline}`, whyTrouble],
  ["a failure", failed(backoff), `UnrecoverableError ${backoff}`, `The Job failed: ${backoff}.`],
  ["another failure", failed("PodFailurePolicy"), "UnrecoverableError PodFailurePolicy"],
  [
    "no reason",
    { job: { failedStatus: "True" } },
    "UnrecoverableError JobFailed",
    "The Job failed: no reason given.",
  ],
  [
    "only why",
    failed(backoff, { reason: "NoSpace" }),
    "UnrecoverableError NoSpace",
    "The workload ended with NoSpace.",
  ],
  ["trouble", failed(backoff, trouble), "UnrecoverableError Unauthorized", whyTrouble],
  ["a kill", failed(backoff, { reason: "Pulling" }), `UnrecoverableError ${backoff}`, killed],
  ["that the Job is suspended", { job: { suspended: "True" } }, "Starting Suspended", suspended],
  ["that it continues", { job: { suspended: "False", active: 1 } }, "Active Pulling"],
])("When a work reports $0, the cluster should be $2", ([, report, expected, text]) => {
  const { state, reason, message } = stateOf(report ? reported(aWork(), report) : aWork()) ?? {};
  expect([`${state} ${reason}`, message]).toEqual([expected, text ?? message]);
});

test("When it is being deleted while the Job runs, the cluster should start again", () => {
  const work = { ...aWork(), metadata: { ...aWork().metadata, ...deleting } };
  const again = { state: "PreparingToStart", reason: "Removed", message: "It was removed; it starts again." };
  expect(stateOf(reported(work, { job: { active: 1 } }))).toEqual(again);
});

test("When an object is refused, it should report its name and the cluster's error", () => {
  const work = reported(aWork(), { applied: "False", message: "namespaces is forbidden" });
  const message = expect.stringMatching(/^Job\/pre-cache-.*: namespaces is forbidden$/);
  expect(stateOf(work)).toEqual({ state: "Starting", reason: "NotApplied", message });
  const status = { conditions: [{ type: "Applied", status: "False", observedGeneration: 1 }] };
  const unexplained = "The cluster refuses an object; its agent tries again.";
  expect(stateOf({ ...aWork(), status })?.message).toBe(unexplained);
});

test("When the agent has not seen the latest change, its report should change nothing", () => {
  const changed = { ...aWork(), metadata: { ...aWork().metadata, generation: 2 } };
  expect(stateOf(reported(changed, { job: { suspended: "True" } }))).toBeUndefined();
  expect(stateOf(reported(changed, { observedGeneration: 2 }))).toMatchObject({ state: "Starting" });
});

test("When a Job has ended, that should hold whatever has changed in its work since", () => {
  const changed = { ...aWork(), metadata: { ...aWork().metadata, generation: 2 } };
  expect(stateOf(reported(changed, { job: { complete: "True" } }))).toMatchObject({ state: "Succeeded" });
});

test("When a work was created, suspended or deleted on the hub, its feedback should say so", () => {
  const suspended = withSuspend(reported(aWork(), {}), true) ?? aWork();
  expect(feedbackOf(suspended)).toEqual({
    run: aRun,
    created: "2026-03-01T02:00:00Z",
    isHeld: true,
    applied: "True",
    values: {},
  });
  const { creationTimestamp: _, ...metadata } = aWork().metadata;
  expect(feedbackOf({ ...aWork(), metadata: { ...metadata, ...deleting } })).toEqual({
    run: aRun,
    isDeleting: true,
    values: {},
  });
});

/** The status of an agent that reports these values of an object of this kind. */
const statusWith = (kind: string, values: readonly unknown[]) => ({
  conditions: [],
  resourceStatus: { manifests: [{ resourceMeta: { kind }, statusFeedback: { values } }] },
});
const textValue = (name: unknown, string: unknown) => ({ name, fieldValue: { type: "String", string } });

test.for<Readonly<{ what: string; kind?: string; values: readonly unknown[]; read: object }>>([
  { what: "a number", values: [{ name: "active", fieldValue: { integer: 2 } }], read: { active: 2 } },
  { what: "a text", kind: "ConfigMap", values: [textValue("detail", "abc")], read: { detail: "abc" } },
  { what: "a value of another kind", kind: "Namespace", values: [textValue("detail", "abc")], read: {} },
  { what: "an unknown value", values: [textValue("colour", "red")], read: {} },
  { what: "a value without a name", values: [textValue(undefined, "red")], read: {} },
  { what: "a value of another type", values: [textValue("detail", { a: 1 }), "x"], read: {} },
  { what: "a value without a field", values: [{ name: "detail" }], read: {} },
  {
    what: "the longest text",
    values: [textValue("detail", "a".repeat(256))],
    read: { detail: "a".repeat(256) },
  },
  {
    what: "a longer text",
    values: [textValue("detail", "a".repeat(257))],
    read: { detail: `${"a".repeat(255)}…` },
  },
])("When an agent reports $what, it should be read as $read", ({ kind = "Job", values, read }) => {
  expect(feedbackOf({ ...aWork(), status: statusWith(kind, values) })?.values).toEqual(read);
});

test.for<readonly [unknown, number | undefined]>([
  [0, 0],
  [12, 12],
  ["0", 0],
  ["12", 12],
  ["", undefined],
  ["x", undefined],
  [-1, undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["1e999", undefined],
  [undefined, undefined],
  [[3], undefined],
])("When a count is reported as %j, it should be %s", ([value, count]) => {
  expect(countOf(value)).toBe(count);
});

test("When a message contains a login, it should be redacted", () => {
  const work = reported(aWork(), {
    applied: "False",
    message: "pull https://robot:s3cr3t-t0ken@registry.example.com/v2/ failed",
  });
  expect(feedbackOf(work)?.message).not.toContain("s3cr3t");
});

test("When a ManifestWork belongs to another program, it should be ignored", () => {
  expect(feedbackOf({ ...aWork(), metadata: { name: "addon", namespace: "sno1" } })).toBeUndefined();
});

test("When a status contains anything, reading it should not throw", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (conditions, manifests) => {
      const status = { conditions, resourceStatus: { manifests } };
      expect(feedbackOf({ ...aWork(), status })).toMatchObject({ run: aRun });
    }),
  );
});
