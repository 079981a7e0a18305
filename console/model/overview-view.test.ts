import { describe, expect, test } from "vitest";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, now, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { overUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { livePage, pageText } from "../pages/html.ts";
import { overviewPage } from "../pages/overview-page.ts";
import { overviewView } from "./overview-view.ts";

const issue = {
  code: "InvalidSource",
  severity: "error",
  object: { kind: "ImageDigestMirrorSet", name: "acme" },
  path: "spec.imageDigestMirrors[0].source",
  value: "quay.io/a:1",
  message: "a source has no tag",
  remedy: "Remove it.",
} as const;
const verification = {
  function: "mirror-config",
  key: "cluster",
  decisions: [
    { subject: "99-worker", verdict: "held", reason: "It costs drain.", differences: ["one", "two"] },
    { subject: "99-master", verdict: "up to date", reason: "" },
  ],
  writes: [],
  issues: [issue, { ...issue, severity: "warning", code: "UnknownField" } as const],
  differs: true,
} as const;

describe("overviewView", () => {
  test("When functions report errors and differences, they should be listed once, without warnings", () => {
    const { problems, differences } = overviewView(
      snapshotOf([], { verifications: [verification, { ...verification, decisions: [] }] }),
    );
    expect(problems).toEqual([
      {
        object: "ImageDigestMirrorSet/acme",
        path: issue.path,
        code: issue.code,
        message: issue.message,
        remedy: issue.remedy,
      },
    ]);
    expect(differences).toEqual([
      {
        subject: "99-worker",
        owner: "hubrelay",
        verdict: "held",
        reason: "It costs drain.",
        differences: 2,
        page: "/mirrors",
      },
    ]);
  });

  test("When queues have dead letters or were busy for 15 minutes, they should be listed, and others not", () => {
    const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    const all = [
      { name: "mirror-configs", waiting: 0, deadLetters: 2 },
      { name: "precache-plans", waiting: 7, deadLetters: 0, busySince: ago(15) },
      { name: "precache-feedback", waiting: 900, deadLetters: 0, busySince: ago(14) },
      { name: "precache-clusters", waiting: 0, deadLettersUnknown: "access denied" },
      { name: "hosted-clusters", unknown: "connect ECONNREFUSED" },
    ];
    expect(overviewView(snapshotOf([], { queues: { all } })).queues).toEqual({
      troubles: [
        { name: "mirror-configs", deadLetters: 2, waiting: 0 },
        { name: "precache-plans", deadLetters: 0, waiting: 7, busySince: ago(15) },
      ],
      unknown: ["dead letters of precache-clusters: access denied", "hosted-clusters: connect ECONNREFUSED"],
    });
  });

  test("When nothing names the queues, the page should say that they are not known, not that all is well", () => {
    const view = overviewView(snapshotOf([], { queues: { unknown: "HUBRELAY_QUEUE_URLS is not set" } }));
    const text = pageText(livePage((part) => overviewPage(view, now, part)));
    expect(text).toContain("Not known here: queues and dead letters: HUBRELAY_QUEUE_URLS is not set");
  });

  test("When a queue has a dead letter, the page should show it with the command that lists them", () => {
    const all = [{ name: "mirror-configs", waiting: 3, deadLetters: 1, busySince: new Date(0) }];
    const view = overviewView(snapshotOf([], { queues: { all } }));
    const text = pageText(livePage((part) => overviewPage(view, now, part)));
    expect(text).toContain("1 dead letter<");
    expect(text).toContain("hubrelay dlq list --queue mirror-configs");
    expect(text).toContain("3 waiting");
    expect(text).not.toContain("Nothing needs a person now");
    expect(text).not.toContain("not known here");
  });

  test("When a hosted cluster differs, the difference should lead to its story", () => {
    const ofCluster = { ...verification, function: "hosted-clusters", key: "clusters/shop" };
    const { differences } = overviewView(snapshotOf([], { verifications: [ofCluster] }));
    expect(differences.map(({ page }) => page)).toEqual(["/hosted?cluster=clusters%2Fshop"]);
  });

  test.for([
    { type: "PrecacheSpecValid", status: "False", reason: "PrecacheSpecIncomplete", needsPerson: true },
    { type: "PrecacheImagesReady", status: "False", reason: "ImagesNotReady", needsPerson: true },
    { type: "PrecacheImagesReady", status: "Unknown", reason: "ImagesUnknown", needsPerson: true },
    { type: "PrecacheImagesReady", status: "Unknown", reason: "ImagesBeingChecked", needsPerson: false },
    { type: "PrecacheImagesReady", status: "True", reason: "ImagesReady", needsPerson: false },
  ])("When an upgrade's condition $type is $reason, needing a person should be $needsPerson", (row) => {
    const { type, status, reason, needsPerson } = row;
    const [cgu, report] = aFleet({ a: {} });
    const conditions = [{ type, status, reason, message: "No image." }];
    const changed = { ...cgu, status: { ...Object(cgu?.status), conditions } } as never;
    const problem = {
      object: "ClusterGroupUpgrade/default/upgrade",
      path: `status.conditions[${type}]`,
      code: reason,
      message: "No image.",
      remedy: "",
    };
    expect(overviewView(snapshotOf([changed, ...(report ? [report] : [])])).problems).toEqual(
      needsPerson ? [problem] : [],
    );
    // No function changes the conditions of an upgrade that is over.
    expect(overviewView(snapshotOf([overUpgrade(changed)])).problems).toEqual([]);
  });

  test("When clusters failed or are offline, their reasons should need a person, and waiting ones should not", () => {
    const { failures } = overviewView(
      snapshotOf(
        aFleet({
          a: { state: "PrecacheTimeout", reason: "NoReport" },
          b: { reason: "ClusterNotReached" },
          c: undefined,
        }),
      ),
    );
    expect(failures).toEqual([
      {
        upgrade: "default/upgrade",
        reasons: [
          expect.objectContaining({ group: "failed", reason: "NoReport" }),
          expect.objectContaining({ group: "offline", reason: "ClusterNotReached" }),
        ],
      },
    ]);
  });

  test("When windows open, the next openings should be in the order of their starts, one in progress first", () => {
    const windows = [
      windowObject({ schedule: "0 2 * * *", timeZone: "UTC", duration: "1h" }),
      {
        ...windowObject({ schedule: "0 5 * * *", timeZone: "Europe/Oslo" }),
        metadata: { namespace: "b", name: "day" },
      },
      { ...windowObject({ schedule: "nonsense" }), metadata: { namespace: "c", name: "bad" } },
    ];
    expect(
      overviewView(snapshotOf(windows)).openings.map(({ window, start, isOpen }) => [
        window,
        start.toISOString(),
        isOpen,
      ]),
    ).toEqual([
      ["fleet/night", "2026-03-01T02:00:00.000Z", true],
      ["b/day", "2026-03-01T04:00:00.000Z", false],
      ["fleet/night", "2026-03-02T02:00:00.000Z", false],
      ["b/day", "2026-03-02T04:00:00.000Z", false],
    ]);
  });
});
