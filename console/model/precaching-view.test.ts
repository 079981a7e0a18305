import { describe, expect, test } from "vitest";
import { coverageLines } from "#shared/domain/issues/coverage.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, now, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { aManagedCluster, anImageBasedUpgrade } from "../../test/support/precache/precache-plan-objects.ts";
import { aPlannedUpgrade } from "../../test/support/precache/precache-system.ts";
import { aReadinessReport } from "../../test/support/ready/readiness-reports.ts";
import { pageText } from "../pages/html.ts";
import { renderPage } from "../pages/render-page.ts";
import { precachingView } from "./precaching-view.ts";

const failed = {
  state: "UnrecoverableError",
  reason: "PullFailed",
  message: "quay.io/a: unauthorized",
} as const;
const fleet = [
  ...aFleet(
    {
      sno1: {
        state: "Succeeded",
        reason: "Done" as never,
        since: "2026-03-01T02:20:00Z",
        imagesDone: 9,
        imagesTotal: 9,
      },
      sno2: { ...failed, since: "2026-03-01T02:25:00Z", attempt: 2 },
      sno3: { ...failed, since: "2026-03-01T02:25:00Z" },
      sno4: { imagesDone: 3, imagesTotal: 9 },
      sno5: { state: "Starting", reason: "ClusterNotReached", message: "Its agent is offline." },
      sno6: undefined,
    },
    { annotations: { "hubrelay.dev/site-label": "site" } },
  ),
  ...["sno1", "sno2", "sno4"].map((name) => aManagedCluster(name, { labels: { site: "oslo", ring: name } })),
  aManagedCluster("sno3", { labels: { site: "bergen" } }),
];
const view = (
  query: Parameters<typeof precachingView>[1] = {},
  objects: Parameters<typeof snapshotOf>[0] = fleet,
) => precachingView(snapshotOf(objects), query);
const cellsOf = ({ shown }: ReturnType<typeof view>) =>
  shown?.sites.map(
    ({ name, cells }) => `${name}: ${cells.map(({ cluster, group }) => `${cluster} ${group}`).join(", ")}`,
  );

describe("precachingView", () => {
  test("When an upgrade is not over, the page should name its policies, and say that they are not read", () => {
    expect(coverageLines(view().coverage)).toEqual([
      "Not read: policies and releases of an upgrade: not checked.",
    ]);
    expect(view({}, []).coverage.complete).toBe(true);
    const [cgu, ...others] = fleet;
    const managing = cgu && { ...cgu, spec: { ...Object(cgu.spec), managedPolicies: ["common", "group"] } };
    expect(coverageLines(view({}, [...(managing ? [managing] : []), ...others]).coverage)[0]).toBe(
      "Enforced: common, group by ClusterGroupUpgrade/default/upgrade on sno1, sno2, sno3 and 3 more.",
    );
    expect(pageText(renderPage("/precaching", {}, snapshotOf(fleet)))).toContain(
      "Not read: policies and releases",
    );
  });

  test("When all clusters of an upgrade are left to an ImageBasedGroupUpgrade, the page should name them", () => {
    const clusters = [{ name: "sno1", currentAction: { action: "Prep" } }];
    const objects = [
      { ...aPlannedUpgrade([]), spec: { preCaching: true, clusters: ["sno1"] } },
      aManagedCluster("sno1"),
      anImageBasedUpgrade({}, { clusters }),
    ];
    const page = pageText(renderPage("/precaching", {}, snapshotOf(objects)));
    expect(page).toContain("no cluster is planned");
    expect(page).toContain(
      "1 selected cluster left alone: sno1. sno1: ImageBasedGroupUpgrade ztp/ibgu upgrades",
    );
  });

  test("When an upgrade names a site label, its clusters should be grouped by it, with their states", () => {
    expect(cellsOf(view())).toEqual([
      "bergen: sno3 failed",
      "no site: sno5 offline, sno6 waiting",
      "oslo: sno1 done, sno2 failed, sno4 pulling",
    ]);
    expect(view().shown).toMatchObject({
      key: "default/upgrade",
      total: 6,
      ended: 3,
    });
  });

  test.for([
    { query: { state: "failed" }, cells: ["bergen: sno3 failed", "oslo: sno2 failed"] },
    { query: { state: "failed", site: "oslo" }, cells: ["oslo: sno2 failed"] },
    { query: { reason: "ClusterNotReached" }, cells: ["no site: sno5 offline"] },
    { query: { by: "ring", state: "done" }, cells: ["sno1: sno1 done"] },
    { query: { site: "elsewhere" }, cells: [] },
    { query: { state: "nonsense", site: "bergen" }, cells: ["bergen: sno3 failed"] },
  ])("When the address has $query, it should show $cells", ({ query, cells }) => {
    expect(cellsOf(view(query))).toEqual(cells);
  });

  test("When clusters have reasons, they should be grouped by them, the failed first", () => {
    expect(view().shown?.reasons).toEqual([
      {
        group: "failed",
        reason: "PullFailed",
        count: 2,
        registry: "quay.io",
        example: failed.message,
        first: ["sno2", "sno3"],
      },
      expect.objectContaining({ group: "offline", reason: "ClusterNotReached", first: ["sno5"] }),
      expect.objectContaining({ group: "waiting", reason: "Waiting", first: ["sno6"] }),
    ]);
  });

  test("When clusters have succeeded without a package, it should be among the reasons", () => {
    const incomplete = {
      state: "Succeeded",
      reason: "PackagesNotFound",
      message: "no index has a:stable",
    } as const;
    expect(view({}, aFleet({ a: incomplete, b: incomplete })).shown?.reasons).toEqual([
      {
        group: "done",
        reason: "PackagesNotFound",
        count: 2,
        example: "no index has a:stable",
        first: ["a", "b"],
      },
    ]);
  });

  test("When a failed cluster is selected, its story should have the command that retries it", () => {
    const { shown } = view({ cluster: "sno2" });
    expect(shown?.panel).toMatchObject({
      cluster: { name: "sno2", reason: "PullFailed", attempt: 2 },
      site: "oslo",
      windows: [],
      isWindowOpen: true,
      retry: "hubrelay precache retry default/upgrade --cluster sno2",
    });
    expect(view({ cluster: "sno4" }).shown?.panel?.retry).toBeUndefined();
    expect(shown?.retryFailed).toBe("hubrelay precache retry default/upgrade");
  });

  test.for([
    { query: {}, rows: ["sno2 oslo", "sno3 bergen"], fixes: 1 },
    { query: { site: "oslo" }, rows: ["sno2 oslo"], fixes: 1 },
    { query: { state: "done" }, rows: [], fixes: 0 },
  ])(
    "When clusters failed and the address has $query, a table should have $rows",
    ({ query, rows, fixes }) => {
      const failedClusters = view(query).shown?.failed ?? [];
      expect(failedClusters.map(({ name, site }) => `${name} ${site}`)).toEqual(rows);
      const page = pageText(renderPage("/precaching", query, snapshotOf(fleet)));
      const cells = failedClusters.map(
        ({ name }) => `data-copy="hubrelay precache retry default/upgrade --cluster ${name}"`,
      );
      expect(cells.filter((cell) => !page.includes(cell))).toEqual([]);
      expect(page.split("Fix: Check the registry that the message names").length - 1).toBe(fixes);
      expect(page).toContain('data-copy="hubrelay precache retry default/upgrade"');
      expect(page).not.toContain("Nothing needs a person now.");
    },
  );

  test("When a window suspends a cluster that has started, it should not look as if it pulled", () => {
    const objects = aFleet({ a: { state: "Active", reason: "Suspended" }, b: {} });
    expect(cellsOf(view({}, objects))).toEqual(["all clusters: a outside its window, b pulling"]);
  });

  test.for([
    { what: "upgrade", query: { upgrade: "default/other" }, missing: "default/other" },
    { what: "cluster", query: { cluster: "sno99" }, missing: "sno99" },
    { what: "nothing", query: { cluster: "sno1" }, missing: undefined },
  ])("When the address names a missing $what, it should say so", ({ query, missing }) => {
    expect(view(query).missing).toBe(missing);
  });

  test("When a window is closed, the cluster should be outside it, and its story should say when it opens", () => {
    const night = windowObject({ schedule: "0 5 * * *", timeZone: "UTC", clusterSelector: {} });
    const { shown } = view({ cluster: "sno6" }, [...fleet, night]);
    expect(shown?.panel).toMatchObject({
      group: "outside its window",
      windows: ["fleet/night"],
      isWindowOpen: false,
      windowChanges: new Date("2026-03-01T05:00:00Z"),
    });
  });

  test.for([
    { duration: "45m", isLate: true },
    { duration: "20h", isLate: false },
  ])("When the window is open for $duration, being late should be $isLate", ({ duration, isLate }) => {
    const open = windowObject({ schedule: "0 2 * * *", timeZone: "UTC", duration, clusterSelector: {} });
    const bytesTotal = 9 * 10 ** 9;
    const annotations = { "hubrelay.dev/bandwidth": "20" };
    const { shown } = view({}, [...aFleet({ a: { bytesTotal } }, { annotations }), open]);
    expect(shown?.isLate).toBe(isLate);
    expect(shown?.deadline?.what).toBe("the window closes");
    expect(shown?.deadline && shown.deadline.at > now).toBe(true);
  });

  test.for([
    { minutes: "18", text: "Ready: no, 1 of 2 images is missing (checked 12m ago)" },
    { minutes: "00", text: "Ready: no, 1 of 2 images is missing (checked 30m ago, stale)" },
  ])("When mirrors lack an image since :$minutes, the page should say $text", ({ minutes, text }) => {
    const [cgu] = fleet;
    if (!cgu) throw new Error("no upgrade");
    const images = { "quay.io/a:1": "missing", "quay.io/b:1": "ready" } as const;
    const report = aReadinessReport(cgu, images, `2026-03-01T02:${minutes}:00Z`);
    const page = pageText(renderPage("/precaching", {}, snapshotOf([...fleet, report])));
    expect(page).toContain(`<p>${text}</p>`);
    expect(page).toContain("<li>quay.io/a:1: missing</li>");
    expect(page).toContain("mirror missing images, or change the rule");
    expect(pageText(renderPage("/precaching", {}, snapshotOf(fleet)))).not.toContain("Ready:");
  });

  test.for([
    { what: "the overview", path: "/", query: {}, report: "not read" },
    {
      what: "another upgrade",
      path: "/precaching",
      query: { upgrade: "default/upgrade" },
      report: "not read",
    },
    { what: "that upgrade", path: "/precaching", query: { upgrade: "default/other" }, report: "read" },
  ] as const)("When a page shows $what, the ReadinessReport of an upgrade should be $report", (row) => {
    const other = aFleet({ x: {} }, { name: "other" });
    const [cgu] = other;
    if (!cgu) throw new Error("no upgrade");
    let found: typeof row.report = "not read";
    const report = {
      ...aReadinessReport(cgu, { "quay.io/a:1": "missing" }, "2026-03-01T02:18:00Z"),
      get images() {
        found = "read";
        return {};
      },
    };
    renderPage(row.path, row.query, snapshotOf([...fleet, ...other, report]));
    expect(found).toBe(row.report);
  });

  test("When nothing is pre-cached, it should show nothing", () => {
    expect(view({}, [])).toMatchObject({ fleets: [], filter: {}, missing: undefined, shown: undefined });
  });

  test("When one of several upgrades is over, another should be shown first", () => {
    const over = aFleet({ x: { state: "Succeeded" } }, { name: "aaa" });
    const { fleets, shown } = view({}, [...over, ...fleet]);
    expect(fleets.map(({ key }) => key)).toEqual(["default/upgrade", "default/aaa"]);
    expect(shown?.key).toBe("default/upgrade");
  });
});
