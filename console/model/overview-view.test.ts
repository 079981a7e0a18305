import { describe, expect, test } from "vitest";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { overUpgrade } from "../../test/support/precache/precache-snapshots.ts";
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
});
