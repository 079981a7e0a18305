import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aCheckRun, aWork, reported } from "../../../test/support/precache/precache-objects.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isChecking, missingImages } from "../precache-model/check-record.ts";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { afterCheck, withNewCheck } from "./cluster-check.ts";

const upgrade = { name: aCheckRun.cgu, revision: aCheckRun.revision };
const started = new Date("2026-03-04T01:00:00Z");
const soon = new Date("2026-03-04T01:01:00Z");
const late = new Date("2026-03-04T01:17:00Z");
const cached = aWaitingRecord({ state: "Succeeded", reason: "Completed", imagesTotal: 190 });
const checking = withNewCheck(cached, started, new Date("2026-03-05T01:00:00Z"));
const work = aWork("sno1", aCheckRun);

type Feedback = Parameters<typeof reported>[1];
const complete = { succeeded: 1, complete: "True" } as const;
const checkedWith = (progress: Readonly<Record<string, string>>): Feedback => ({
  job: complete,
  progress: { reason: "Checked", image: "", detail: "", ...progress },
});
const reportedWork = (feedback: Feedback): KubernetesObject => reported(work, feedback, aCheckRun);
const afterwards = (feedback: Feedback, now = soon) =>
  afterCheck(checking, [reportedWork(feedback)], upgrade, now);

describe("a new check", () => {
  test.for([
    {
      what: "an opening comes soon",
      opening: new Date("2026-03-05T01:00:00Z"),
      rest: { opening: "2026-03-05T01:00:00Z" },
    },
    { what: "it was requested", opening: undefined, rest: {} },
  ])("When $what, it should be awaited, and nothing be missing", ({ opening, rest }) => {
    const record = withNewCheck({ ...cached, attempt: 3 }, started, opening);
    expect(record).toEqual({
      ...cached,
      attempt: 3,
      check: { started: "2026-03-04T01:00:00Z", attempt: 3, ...rest },
    });
    expect([isChecking(record), missingImages(record)]).toEqual([true, 0]);
  });

  test("When there was none, none should be awaited, and nothing be missing", () => {
    expect([isChecking(undefined), isChecking(cached), missingImages(cached)]).toEqual([false, false, 0]);
  });
});

describe("the result of a check", () => {
  const counted = (imagesDone: string, imagesTotal: string, more: Readonly<Record<string, string>> = {}) =>
    checkedWith({ imagesDone, imagesTotal, ...more });
  const failedJob = { failed: 1, failedStatus: "True", failedReason: "BackoffLimitExceeded" };
  const noOpm = { reason: "CatalogUnreadable", image: "quay.io/i@sha256:1", detail: "no opm" };
  const lost = "quay.io/r@sha256:1";
  const lostText = `${lost}; images that only a missing one names count as missing`;
  const oldText = "The Job failed: BackoffLimitExceeded. The image of the workload may be older than checks.";
  const present = (imagesPresent: number, message?: string) => ({
    imagesPresent,
    imagesTotal: 190,
    ...(message === undefined ? {} : { message }),
  });

  test.for<readonly [what: string, feedback: Feedback, result: object, missing?: number]>([
    ["every image is there", counted("190", "190"), present(190)],
    ["some are missing", counted("188", "190", { detail: "q.io/a" }), present(188, "q.io/a"), 2],
    [
      "the release image is missing",
      counted("3", "4", { image: lost, detail: lost }),
      present(3, lostText),
      187,
    ],
    ["a cluster reports more than there are", counted("200", "190"), present(190)],
    ["the workload fails", { job: failedJob, progress: noOpm }, { message: "quay.io/i@sha256:1: no opm" }],
    ["the image of the workload cannot check", { job: failedJob }, { message: oldText }],
  ])("When $0, it should be recorded", ([, feedback, result, missing = 0]) => {
    const after = afterwards(feedback);
    const { check, ...others } = after;
    const { check: before, ...unchanged } = checking;
    expect(check).toEqual({ ...before, checked: "2026-03-04T01:01:00Z", ...result });
    expect(others).toEqual(unchanged);
    expect([isChecking(after), missingImages(after)]).toEqual([false, missing]);
  });

  const unreachable = "The cluster's agent was unreachable for 15 min.";
  const forbidden = reportedWork({ applied: "False", message: "forbidden" });
  const forbiddenText = "Job/pre-cache-check-7f3a9c0d1e-f6298f-1772586000: forbidden";
  const pulling = reportedWork({ job: { active: 1 }, progress: { reason: "Pulling" } });
  const pulled = { reason: "Completed", imagesDone: "9", imagesTotal: "9" };

  test.for<readonly [what: string, works: readonly KubernetesObject[], message?: string]>([
    ["its work is not there yet", [], unreachable],
    ["no agent reads its work", [work], unreachable],
    ["the cluster refuses its Job", [forbidden], forbiddenText],
    ["its Job is applied", [reportedWork({})]],
    ["its Job runs", [pulling]],
    ["its Job is complete, and its report is not read yet", [reportedWork({ job: complete })]],
    ["the workload pulled instead", [reportedWork({ job: complete, progress: pulled })]],
  ])(
    "When $0, the result should be awaited until its deadline",
    ([, works, message = "The cluster reported no result within 15 min."]) => {
      expect(afterCheck(checking, works, upgrade, new Date(late.getTime() - 1))).toBe(checking);
      const { check } = afterCheck(checking, works, upgrade, late);
      expect(check).toEqual({ ...checking.check, checked: "2026-03-04T01:17:00Z", message });
    },
  );

  test("When no check is awaited, the record should stay the same", () => {
    const done = afterwards(checkedWith({ imagesDone: "1", imagesTotal: "9" }));
    const works = [reportedWork(checkedWith({ imagesDone: "9", imagesTotal: "9" }))];
    expect(afterCheck(done, works, upgrade, late)).toBe(done);
    expect(afterCheck(cached, works, upgrade, late)).toBe(cached);
  });

  test("When the work belongs to an earlier check, it should not count", () => {
    const earlier = { ...aCheckRun, check: aCheckRun.check - 60 };
    const works = [
      reported(aWork("sno1", earlier), checkedWith({ imagesDone: "1", imagesTotal: "9" }), earlier),
    ];
    expect(afterCheck(checking, works, upgrade, soon)).toBe(checking);
  });

  test("When the images of an earlier attempt were checked, none of the present one should be missing", () => {
    const after = afterwards(checkedWith({ imagesDone: "1", imagesTotal: "9" }));
    expect(missingImages({ ...after, attempt: 2 })).toBe(0);
  });

  test("When a cluster reports anything, nothing but the check should change, and counts should fit", () => {
    const text = fc.oneof(fc.string(), fc.integer().map(String));
    const progress = fc.record({ reason: fc.oneof(fc.constant("Checked"), text), image: text, detail: text });
    const counts = fc.record({ imagesDone: text, imagesTotal: text });
    fc.assert(
      fc.property(progress, counts, fc.constantFrom(soon, late), (one, other, now) => {
        const { check, ...others } = afterwards({ job: complete, progress: { ...one, ...other } }, now);
        const { check: _before, ...unchanged } = checking;
        expect(others).toEqual(unchanged);
        const { imagesPresent = 0, imagesTotal = 0 } = check ?? {};
        expect(imagesPresent).toBeGreaterThanOrEqual(0);
        expect(imagesTotal).toBeGreaterThanOrEqual(imagesPresent);
      }),
    );
  });
});
