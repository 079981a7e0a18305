import { describe, expect, test } from "vitest";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { anUpgrade, reportsFor } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  afterwards,
  aSnapshot,
  conditionsIn,
  night,
  noon,
  outcomes,
  stored,
} from "../../test/support/precache/window-snapshots.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

describe("downloads that no opening has time for", () => {
  const annotations = { "hubrelay.dev/bandwidth": "20" };
  /** 20 Mbit/s pull 8.4 GiB in an hour. */
  const hour = 9e9;
  const sized = (sizes: readonly number[]): Pick<Snapshot, "upgrades" | "reports"> => {
    const clusters = sizes.map((_, index) => `sno${index}`);
    const cgu = anUpgrade(clusters, { annotations });
    const records = sizes.map((bytesTotal, index) => [`sno${index}`, { bytesTotal, bytesDone: 0 }] as const);
    return { upgrades: [cgu], reports: reportsFor(cgu, Object.fromEntries(records)) };
  };
  /** One architecture each: the highest total of an architecture counts for all its clusters. */
  const managedClusters = Array.from({ length: 12 }, (_, index) =>
    aManagedCluster(`sno${index}`, { labels: { "kubernetes.io/arch": `a${index}` } }),
  );
  const short = (sizes: readonly number[], changes: Partial<Snapshot> = {}) =>
    decide(aSnapshot({ ...sized(sizes), managedClusters, now: noon, ...changes }));
  const remedy =
    "A layer that takes longer than an opening never completes: make the window longer, or mirror the images closer to the clusters.";

  test("When openings overlap, a download should have the time of all of them", () => {
    const overlapping = stored(aWindow("night", { schedule: "0 0-4 * * *", duration: "2h" }));
    expect(outcomes(short([5 * hour], { windows: [overlapping] }))).toEqual([]);
  });

  test("When a download needs several openings, it should report the cluster once", () => {
    const plan = short([5 * hour]);
    expect(conditionsIn(plan)[1]).toBe(
      `LongEnough False RestsTooLong: Clusters have more to pull than fits into one opening, and need several: sno0 of default/upgrade (3 openings). ${remedy}`,
    );
    expect(outcomes(plan)).toEqual(["too-short default/night"]);
    expect(outcomesOf(plan)[0]?.data).toEqual({
      window: { namespace: "default", name: "night" },
      clusterCount: 1,
      clusters: [{ cgu: { namespace: "default", name: "upgrade" }, cluster: "sno0", openings: 3 }],
    });
    const snapshot = aSnapshot({ ...sized([5 * hour]), managedClusters, now: noon });
    const hub = afterwards(snapshot, plan);
    const again = decide(hub);
    expect(again.actions).toEqual([]);
    expect(again.standing?.(noon).map(({ id }) => id)).toEqual(outcomesOf(plan).map(({ id }) => id));
    const more = decide({ ...hub, ...sized([9 * hour]) });
    expect(conditionsIn(more)[1]).toContain("(5 openings)");
    expect(outcomes(more)).toEqual([]);
    const fixed = decide({ ...hub, ...sized([hour]) });
    expect(conditionsIn(fixed)).toContain(
      "LongEnough True RestsFit: No cluster is known to need more than one opening.",
    );
    expect([outcomes(fixed), fixed.standing?.(noon)]).toEqual([[], []]);
    const relapse = decide({
      ...afterwards(hub, fixed),
      ...sized([5 * hour]),
      now: new Date("2026-03-01T13:00:00Z"),
    });
    expect(outcomes(relapse)).toEqual(["too-short default/night"]);
    expect(outcomesOf(relapse)[0]?.id).not.toBe(outcomesOf(plan)[0]?.id);
  });

  test.for([
    ["exactly one opening is enough", [2 * hour], {}],
    [
      "a run may finish after the end",
      [9 * hour],
      { windows: [stored(aWindow("night", { atEnd: "Finish" }))] },
    ],
    [
      "the window does not allow pre-caching",
      [9 * hour],
      { windows: [stored(aWindow("night", { allow: { preCaching: false } }))] },
    ],
    ["the window is invalid", [9 * hour], { windows: [stored(aWindow("night", { duration: "long" }))] }],
    ["the size is unknown", [0], {}],
  ] as const)("When %s, it should set no condition", ([, sizes, changes]) => {
    expect(conditionsIn(short(sizes, changes))).toHaveLength(1);
  });

  test("When a cluster may use several windows, the longest should count", () => {
    const windows = [night, stored(aWindow("long", { duration: "6h" }))];
    expect(
      short([5 * hour], { windows }).actions.map(({ object }) => Object(object.status).conditions.length),
    ).toEqual([1, 1]);
  });

  test("When many downloads are too long, it should name the ten longest and count the others", () => {
    const sizes = Array.from({ length: 12 }, (_, index) => (index + 3) * 2 * hour);
    const plan = short(sizes);
    const [, message = ""] = conditionsIn(plan);
    expect(message).toContain(
      ": sno11 of default/upgrade (14 openings), sno10 of default/upgrade (13 openings), ",
    );
    expect(message).toContain("and 2 more. A layer");
    expect(outcomesOf(plan)[0]?.data).toMatchObject({ clusterCount: 12 });
    expect(Object(outcomesOf(plan)[0]?.data).clusters).toHaveLength(10);
    const ten = short(sizes.slice(0, 10));
    expect(conditionsIn(ten)[1]).not.toContain("more. A layer");
  });
});
