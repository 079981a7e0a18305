import { describe, expect, test } from "vitest";
import { aStoredUpgrade } from "../../../../test/support/precache/precache-snapshots.ts";
import { aReadinessReport } from "../../../../test/support/ready/readiness-reports.ts";
import { fleetStatus } from "../../precache-progress/fleet/fleet-status.ts";
import type { ReadyStatus } from "../judge.ts";
import { withReadiness } from "./fleet-readiness.ts";
import type { StoredReadiness } from "./readiness-report.ts";

const now = new Date("2026-03-02T12:00:00Z");
const ago = (minutes: number) => `${new Date(now.getTime() - minutes * 60_000).toISOString().slice(0, 19)}Z`;
const cgu = aStoredUpgrade(["sno1"]);
const fleet = fleetStatus(cgu, [], now);
if (!fleet) throw new Error("the upgrade is not planned");

/** Returns this number of images of each status. */
function images(counts: Partial<Record<ReadyStatus | "unchecked", number>>) {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([status, count]) =>
      Array.from({ length: count }, (_, index) => [
        `quay.io/${status}${index}`,
        status === "unchecked" ? undefined : (status as ReadyStatus),
      ]),
    ),
  );
}
const readiness = (
  counts: Parameters<typeof images>[0],
  minutesAgo: number,
  fields: Partial<StoredReadiness> = {},
) => withReadiness(fleet, [aReadinessReport(cgu, images(counts), ago(minutesAgo), fields)]).readiness;

const details = "'hubrelay ready --cgu default/upgrade' shows where nodes look for each image";

describe("what a fleet shows of its ReadinessReport", () => {
  test.for<[Parameters<typeof images>[0], "True" | "False" | "Unknown", string, string | undefined]>([
    [
      { ready: 187, missing: 3 },
      "False",
      "3 of 190 images are missing",
      `mirror missing images, or change the rule; ${details}`,
    ],
    [
      { ready: 9, unsigned: 1 },
      "False",
      "1 of 10 images is unsigned",
      `mirror the signatures as well; ${details}`,
    ],
    [
      { ready: 7, unreachable: 1, incomplete: 2 },
      "False",
      "3 of 10 images are incomplete or unreachable",
      `mirror incomplete images again; let the pods of precache-ready reach the registry; ${details}`,
    ],
    [
      { unreachable: 2 },
      "Unknown",
      "2 of 2 images are unreachable",
      `let the pods of precache-ready reach the registry; ${details}`,
    ],
    [{ ready: 1, "source-only": 1 }, "True", "all 2 images are ready for the managed clusters", undefined],
    [{ ready: 1, unchecked: 2 }, "Unknown", "1 of 3 images are checked", undefined],
  ])("When images are %o, it should be %s: %s", ([counts, ready, message, fix]) => {
    const found = readiness(counts, 2);
    expect(found).toMatchObject({ ready, message, checked: ago(2) });
    expect(found?.fix).toBe(fix);
  });

  test("When images are missing, it should name them, and count all", () => {
    expect(readiness({ ready: 1, missing: 2 }, 2)).toMatchObject({
      reason: "ImagesNotReady",
      imagesTotal: 3,
      notReadyCount: 2,
      notReady: [
        { image: "quay.io/missing0", status: "missing" },
        { image: "quay.io/missing1", status: "missing" },
      ],
    });
  });

  test("When something else than an image is missing, it should say what", () => {
    const problems = [{ text: "redhat-operators: package logging is not in it", isMissing: true }];
    expect(readiness({ ready: 1 }, 2, { problems })).toMatchObject({
      ready: "False",
      message:
        "0 of 1 images are not ready for the managed clusters: redhat-operators: package logging is not in it",
      problems: ["redhat-operators: package logging is not in it"],
      fix: details,
    });
  });

  test("When the report is about earlier content, it should decide nothing, as for precache-status", () => {
    const found = readiness({ missing: 2 }, 2, { revision: "0000000000" });
    expect(found).toMatchObject({
      ready: "Unknown",
      reason: "ImagesBeingChecked",
      notReady: [],
    });
    expect(found?.message).toBe("the images are not checked yet, the report is about earlier content");
    expect(found?.checked).toBeUndefined();
  });

  test("When there is no report about the upgrade, the fleet should stay as it is", () => {
    const other = aReadinessReport(aStoredUpgrade(["sno1"], { name: "other" }), { a: "missing" }, ago(2));
    expect(withReadiness(fleet, [other])).toBe(fleet);
  });

  test("When a report cannot be read, nothing should be known", () => {
    const { apiVersion, kind, metadata } = aReadinessReport(cgu, {}, ago(2));
    const broken = { apiVersion, kind, metadata, revision: fleet.revision, since: "soon", images: { a: 1 } };
    expect(withReadiness(fleet, [broken]).readiness).toMatchObject({ ready: "Unknown" });
  });
});
