import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aCheckRun, aWork, reported } from "../../../../test/support/precache/precache-objects.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { aWaitingRecord } from "../progress/fixtures.ts";
import { afterCheck, isChecking, missingImages, withNewCheck } from "./cluster-check.ts";

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
const afterwards = (feedback: Feedback | undefined, now = soon) => {
  const works: readonly KubernetesObject[] = feedback ? [reported(work, feedback, aCheckRun)] : [];
  return afterCheck(checking, works, upgrade, now);
};

describe("the result of a check", () => {
  test.for<Readonly<{ what: string; feedback: Feedback; result: object; missing?: number }>>([
    {
      what: "every image is there",
      feedback: checkedWith({ imagesDone: "190", imagesTotal: "190" }),
      result: { imagesPresent: 190, imagesTotal: 190 },
    },
    {
      what: "some are missing",
      feedback: checkedWith({ imagesDone: "188", imagesTotal: "190", detail: "quay.io/a@sha256:1" }),
      result: { imagesPresent: 188, imagesTotal: 190, message: "quay.io/a@sha256:1" },
      missing: 2,
    },
    {
      what: "the release image is missing",
      feedback: checkedWith({
        imagesDone: "3",
        imagesTotal: "4",
        image: "quay.io/r@sha256:1",
        detail: "quay.io/r@sha256:1",
      }),
      result: {
        imagesPresent: 3,
        imagesTotal: 190,
        message: "quay.io/r@sha256:1; images that only a missing one names count as missing",
      },
      missing: 187,
    },
    {
      what: "a cluster reports more than there are",
      feedback: checkedWith({ imagesDone: "200", imagesTotal: "190" }),
      result: { imagesPresent: 190, imagesTotal: 190 },
    },
    {
      what: "the workload fails",
      feedback: {
        job: { failed: 1, failedStatus: "True", failedReason: "BackoffLimitExceeded" },
        progress: { reason: "CatalogUnreadable", image: "quay.io/i@sha256:1", detail: "no opm" },
      },
      result: { message: "quay.io/i@sha256:1: no opm" },
    },
    {
      what: "the image of the workload cannot check",
      feedback: { job: { failed: 1, failedStatus: "True", failedReason: "BackoffLimitExceeded" } },
      result: {
        message: "The Job failed: BackoffLimitExceeded. The image of the workload may be older than checks.",
      },
    },
  ])("When $what, it should be recorded", ({ feedback, result, missing = 0 }) => {
    const after = afterwards(feedback);
    const { check, ...others } = after;
    const { check: before, ...unchanged } = checking;
    expect(check).toEqual({ ...before, checked: "2026-03-04T01:01:00Z", ...result });
    expect(others).toEqual(unchanged);
    expect([isChecking(after), missingImages(after)]).toEqual([false, missing]);
  });

  test.for<Readonly<{ what: string; feedback: Feedback | undefined }>>([
    { what: "is not there yet", feedback: undefined },
    { what: "is applied", feedback: {} },
    { what: "runs", feedback: { job: { active: 1 }, progress: { reason: "Pulling" } } },
    { what: "is complete, and its report is not read yet", feedback: { job: complete } },
    {
      what: "has an image of the workload that pulled",
      feedback: { job: complete, progress: { reason: "Completed", imagesDone: "9", imagesTotal: "9" } },
    },
  ])("When its Job $what, it should be awaited, but not for ever", ({ feedback }) => {
    expect(afterwards(feedback)).toBe(checking);
    const { check } = afterwards(feedback, late);
    expect(check?.checked).toBe("2026-03-04T01:17:00Z");
    expect(check?.message).toMatch(/^The cluster(?:'s agent was unreachable| reported no result)/);
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
