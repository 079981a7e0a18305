import { describe, expect, test } from "vitest";
import { aStoredUpgrade, reportsFor, runOfUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { start as now } from "../../test/support/precache/precache-system.ts";
import {
  afterwards,
  aSnapshot,
  conditionIn,
  decisions,
  failed,
  type Job,
  later,
  outcomes,
  outcomesOf,
  pulling,
  settled,
  succeeded,
  upgradeName,
  withRetry,
  workWith,
  writesOf,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";

describe("the end of an upgrade", () => {
  const clusters = ["sno1", "sno2", "sno3"];
  const cgu = aStoredUpgrade(clusters);
  const endsWith = (...jobs: readonly Job[]) =>
    decide(
      aSnapshot(cgu, {
        works: jobs.map((job, index) => workWith(job, cgu, { cluster: clusters[index] ?? "" })),
      }),
    );

  test.for([
    {
      jobs: [succeeded, succeeded, succeeded],
      text: "True PrecachingCompleted Precaching is completed for all clusters",
    },
    { jobs: [succeeded, failed, failed], text: "True PartiallyDone Precaching failed for 2 clusters" },
    { jobs: [failed, failed, failed], text: "False Failed Precaching failed for all clusters" },
  ])("When its clusters have ended, it should report once that pre-caching is $text", ({ jobs, text }) => {
    const plan = endsWith(...jobs);
    expect(conditionIn(plan)).toBe(`PrecachingSuceeded ${text}`);
    expect(outcomes(plan)[0]).toBe("finished default/upgrade");
    const [, reason] = text.split(" ");
    expect(outcomesOf(plan)[0]?.data).toMatchObject({ reason, cgu: { uid: "uid-of-upgrade" } });
  });

  test("When one cluster is still pulling, it should report only the failures of the others", () => {
    const plan = endsWith(succeeded, failed, pulling);
    expect(outcomes(plan)).toEqual(["cluster-failed default/upgrade/sno2"]);
    expect(decisions(plan)[0]).toBe(
      `${upgradeName} InProgress: 1 Active, 1 Succeeded, 1 UnrecoverableError.`,
    );
  });

  test("When a cluster fails, the outcome should have what its record has", () => {
    const work = workWith(failed, cgu, { progress: { imagesDone: "3", imagesTotal: "9", bytesDone: "77" } });
    const [outcome] = outcomesOf(decide(aSnapshot(cgu, { works: [work] })));
    const { revision } = runOfUpgrade(cgu);
    expect(outcome).toMatchObject({ source: "urn:test:hub", subject: "default/upgrade/sno1" });
    expect(outcome?.data).toEqual({
      cgu: { namespace: "default", name: "upgrade", uid: "uid-of-upgrade" },
      cluster: "sno1",
      revision,
      attempt: 1,
      state: "UnrecoverableError",
      reason: "BackoffLimitExceeded",
      message: "The Job failed: BackoffLimitExceeded.",
      imagesDone: 3,
      imagesTotal: 9,
      bytesDone: 77,
    });
  });

  test("When clusters are in several reports, each report should carry the outcomes of its own clusters", () => {
    const [first] = reportsFor(cgu, { sno1: {}, sno2: {} });
    const [second] = reportsFor(cgu, { sno3: {} });
    if (!first || !second) throw new Error("there are no reports");
    const reports = [first, { ...second, metadata: { ...second.metadata, name: "upgrade-1" } }];
    const works = clusters.map((cluster) => workWith(failed, cgu, { cluster }));
    const plan = decide(aSnapshot(cgu, { reports, works }));
    const perWrite = writesOf(plan).map(({ object, outcomes: own = [] }) => [
      object.metadata.name,
      ...own.map(({ subject }) => subject),
    ]);
    expect(perWrite).toEqual([
      ["upgrade", "default/upgrade"],
      ["upgrade-0", "default/upgrade/sno1", "default/upgrade/sno2"],
      ["upgrade-1", "default/upgrade/sno3"],
    ]);
  });

  test("When a retry ends like the attempts before, the end should be reported again under another id", () => {
    const before = settled(
      cgu,
      clusters.map((cluster) => workWith(failed, cgu, { cluster })),
    );
    const [first] = outcomesOf(endsWith(failed, failed, failed));
    const retrying = { ...before, cgu: before.cgu && withRetry(before.cgu, "sno1") };
    const retry = afterwards(retrying, decide(retrying));
    const works = [...(retry.works ?? []), workWith(failed, cgu, { attempt: 2 })];
    const [second] = outcomesOf(decide({ ...retry, works }));
    expect(second).toMatchObject({ type: first?.type, data: first?.data });
    expect(second?.id).not.toBe(first?.id);
  });

  test("When a message is delivered again, it should report what failed since, and the end of the upgrade, under the same ids", () => {
    const ids = (some: readonly { id: string }[] = []) => some.map(({ id }) => id).sort();
    const done = endsWith(succeeded, failed, failed);
    const hub = settled(
      cgu,
      clusters.map((cluster, index) => workWith(index ? failed : succeeded, cgu, { cluster })),
    );
    const { standing } = decide({ ...hub, now: later(60) });
    expect(ids(standing?.(now))).toEqual(ids(outcomesOf(done)));
    expect(standing?.(later(1)).map(({ subject }) => subject)).toEqual(["default/upgrade"]);
    const pulls = settled(cgu, [workWith(pulling, cgu)]);
    expect(decide(pulls).standing?.(new Date(0))).toEqual([]);
  });
});
