import fc from "fast-check";
import { expect, test } from "vitest";
import { aRun, aWork, reported } from "../../../test/support/precache/precache-objects.ts";
import { countOf } from "../precache-model/cluster-record.ts";
import { withSuspend } from "../precache-start/work/manifest-work.ts";
import { feedbackOf } from "./feedback.ts";
import { runStateOf } from "./run-state.ts";

const stateOf = (work: ReturnType<typeof aWork>) => {
  const feedback = feedbackOf(work);
  return feedback && runStateOf(feedback);
};
const deleting = { deletionTimestamp: "2026-03-01T03:00:00Z" };

/** What each state of a ManifestWork on the hub means, in TALM's words. */
const table = [
  {
    what: "no agent has applied it",
    work: aWork(),
    state: "Starting",
    reason: "WaitsForAgent",
    message: "The cluster's agent has not applied it yet.",
  },
  {
    what: "it is applied and the Job reports nothing",
    work: reported(aWork(), {}),
    state: "Starting",
    reason: "Applied",
    message: "The Job is created and has not started.",
  },
  {
    what: "an object is refused",
    work: reported(aWork(), { applied: "False", message: "namespaces is forbidden" }),
    state: "Starting",
    reason: "NotApplied",
  },
  {
    what: "the Job runs",
    work: reported(aWork(), { job: { active: 1 } }),
    state: "Active",
    reason: "Pulling",
    message: "The Job runs.",
  },
  {
    what: "the Job runs and a cluster claims what only the hub may find",
    work: reported(aWork(), { job: { active: 1 }, progress: { reason: "Suspended" } }),
    state: "Active",
    reason: "Pulling",
  },
  {
    what: "the Job has failed with a reason that no workload of ours has",
    work: reported(aWork(), {
      job: { failedStatus: "True", failedReason: "Elsewhere" },
      progress: { reason: "ClusterNotReached" },
    }),
    state: "UnrecoverableError",
    reason: "JobFailed",
  },
  {
    what: "the Job runs again after a success was counted",
    work: reported(aWork(), { job: { active: 1, succeeded: 1 } }),
    state: "Active",
    reason: "Pulling",
  },
  {
    what: "the Job is complete",
    work: reported(aWork(), { job: { complete: "True" } }),
    state: "Succeeded",
    reason: "Completed",
    message: "Every image is on the cluster.",
  },
  {
    what: "the Job is complete, and no index has a package",
    work: reported(aWork(), {
      job: { complete: "True" },
      progress: {
        reason: "PackagesNotFound",
        detail: "no index has a:stable; everything else is on the node",
      },
    }),
    state: "Succeeded",
    reason: "PackagesNotFound",
    message: "no index has a:stable; everything else is on the node",
  },
  {
    what: "the Job is complete, and its last report was that of a failed pull",
    work: reported(aWork(), { job: { complete: "True" }, progress: { reason: "PullFailed", detail: "x" } }),
    state: "Succeeded",
    reason: "Completed",
  },
  {
    what: "a success is counted before the condition comes",
    work: reported(aWork(), { job: { succeeded: 1, failed: 1 } }),
    state: "Succeeded",
    reason: "Completed",
  },
  {
    what: "the Job's deadline has passed",
    work: reported(aWork(), { job: { failedStatus: "True", failedReason: "DeadlineExceeded" } }),
    state: "PrecacheTimeout",
    reason: "DeadlineExceeded",
    message: "The Job reached its deadline; what was pulled stays.",
  },
  {
    what: "the Job has failed",
    work: reported(aWork(), { job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" } }),
    state: "UnrecoverableError",
    reason: "BackoffLimitExceeded",
    message: "The Job failed: BackoffLimitExceeded.",
  },
  {
    what: "the Job has failed for an unknown reason",
    work: reported(aWork(), { job: { failedStatus: "True", failedReason: "PodFailurePolicy" } }),
    state: "UnrecoverableError",
    reason: "PodFailurePolicy",
  },
  {
    what: "the Job is suspended",
    work: reported(aWork(), { job: { suspended: "True" } }),
    state: "Starting",
    reason: "Suspended",
    message: "The Job is suspended; what was pulled stays.",
  },
  {
    what: "the Job continues after it was suspended",
    work: reported(aWork(), { job: { suspended: "False", active: 1 } }),
    state: "Active",
    reason: "Pulling",
  },
  {
    what: "it is being deleted while the Job runs",
    work: reported({ ...aWork(), metadata: { ...aWork().metadata, ...deleting } }, { job: { active: 1 } }),
    state: "PreparingToStart",
    reason: "Removed",
    message: "It was removed; it starts again.",
  },
  {
    what: "the Job has failed without a reason",
    work: reported(aWork(), { job: { failedStatus: "True" } }),
    state: "UnrecoverableError",
    reason: "JobFailed",
    message: "The Job failed: no reason given.",
  },
  {
    what: "the workload has failed and says only why",
    work: reported(aWork(), {
      job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" },
      progress: { reason: "NoSpace" },
    }),
    state: "UnrecoverableError",
    reason: "NoSpace",
    message: "The workload ended with NoSpace.",
  },
  {
    what: "an object is refused and nothing says why",
    work: {
      ...aWork(),
      status: { conditions: [{ type: "Applied", status: "False", observedGeneration: 1 }] },
    },
    state: "Starting",
    reason: "NotApplied",
    message: "The cluster refuses an object; its agent tries again.",
  },
];

test.for<
  Readonly<{
    what: string;
    work: ReturnType<typeof aWork>;
    state: string;
    reason: string;
    message?: string;
  }>
>(table)("When $what, the cluster should be $state ($reason)", ({ work, state, reason, message }) => {
  expect(stateOf(work)).toMatchObject({ state, reason, ...(message ? { message } : {}) });
});

test("When the workload reported why it failed, the reason, image and detail should be its own", () => {
  const work = reported(aWork(), {
    job: { failedStatus: "True", failedReason: "BackoffLimitExceeded" },
    progress: { reason: "PullFailed", image: "quay.io/a/app@sha256:1", detail: "unauthorized" },
  });
  expect(stateOf(work)).toEqual({
    state: "UnrecoverableError",
    reason: "PullFailed",
    message: "quay.io/a/app@sha256:1: unauthorized",
  });
});

test.for([
  { what: "was interrupted", progress: { reason: "Interrupted", detail: "the pod was asked to stop" } },
  { what: "pulled", progress: { reason: "Pulling", imagesDone: "12" } },
  { what: "reported nothing", progress: {} },
])("When a Job passes its deadline and its workload $what, a timeout should be reported", ({ progress }) => {
  const job = { failedStatus: "True", failedReason: "DeadlineExceeded" };
  expect(stateOf(reported(aWork(), { job, progress }))).toEqual({
    state: "PrecacheTimeout",
    reason: "DeadlineExceeded",
    message: "The Job reached its deadline; what was pulled stays.",
  });
});

test("When a Job passes its deadline in trouble, the timeout should be reported with the trouble", () => {
  const job = { failedStatus: "True", failedReason: "DeadlineExceeded" };
  const progress = { reason: "Unauthorized", image: "quay.io/a/app@sha256:1", detail: "no login" };
  expect(stateOf(reported(aWork(), { job, progress }))).toMatchObject({
    state: "PrecacheTimeout",
    message: "quay.io/a/app@sha256:1: no login",
  });
});

test("When the workload was killed while it pulled, the message should not say that pulling was the reason", () => {
  const job = { failedStatus: "True", failedReason: "BackoffLimitExceeded" };
  expect(stateOf(reported(aWork(), { job, progress: { reason: "Pulling" } }))).toEqual({
    state: "UnrecoverableError",
    reason: "BackoffLimitExceeded",
    message: "The workload was killed while it pulled, perhaps because it reached its memory limit.",
  });
});

test("When an object is refused, it should report its name and the cluster's error", () => {
  const work = reported(aWork(), { applied: "False", message: "namespaces is forbidden" });
  expect(stateOf(work)?.message).toMatch(/^Job\/pre-cache-.*: namespaces is forbidden$/);
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
