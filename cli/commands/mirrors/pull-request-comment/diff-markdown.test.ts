import { expect, test } from "vitest";
import type { PoolChange, PoolCost } from "#shared/domain/diff/compare-sides.ts";
import type { DiffReport } from "#shared/domain/diff/diff-report.ts";
import type { PolicyChange } from "#shared/domain/diff/policy-change.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { OfSide } from "../../../io/report/side-lists.ts";
import { comment } from "./diff-markdown.ts";

/** What Markdown gives a meaning, as often as it may be in one value. */
const hostile = "```` </details> | <!-- ~~~ ".repeat(6);
const many = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const rule = { code: "registries-conf-unsafe", text: hostile } as const;

const anIssue = (index: number): Issue => ({
  code: "InvalidSource",
  severity: index % 2 === 0 ? "error" : "warning",
  object: { kind: "ImageDigestMirrorSet", name: `${index}${hostile}` },
  path: "spec.imageDigestMirrors[0].source",
  value: hostile,
  message: hostile,
  remedy: hostile,
  file: `${hostile}/${index}.yaml`,
});
const aPool = (index: number): PoolCost => ({
  name: `pool${index}`,
  cost: "drain",
  actions: ["drain", "reload crio.service"],
  rule,
  paused: false,
  maxUnavailable: 1,
  machineCount: 3,
  maxCost: null,
  waits: false,
  window: null,
});
const aChange = (index: number): PoolChange => ({
  pools: ["master", "worker"],
  scope: `quay.io/${index}${hostile}`,
  kind: "added",
  before: null,
  after: {
    prefix: "",
    location: `quay.io/${index}`,
    mirrorByDigestOnly: false,
    blocked: false,
    insecure: false,
    mirrors: [{ location: hostile, insecure: false, pullFromMirror: "digest-only" }],
  },
  cost: "drain",
  rule,
});
const aPolicy = (index: number): PolicyChange => ({
  path: "/etc/containers/policy.json",
  scope: `quay.io/${index}`,
  before: "reject",
  after: "accept",
  effect: "weaker",
  text: hostile,
});

const aReport = (count: number, side?: string): DiffReport & OfSide => ({
  cost: "drain",
  issues: many(count, anIssue),
  changes: many(count, aChange),
  pools: many(count, aPool),
  policies: many(count, aPolicy),
  hostedClusters: [],
  known: [],
  accepted: 0,
  consequences: [],
  fixed: { errors: 0, warnings: 0 },
  fixedIssues: [],
  assumed: [],
  coverage: {
    complete: false,
    read: [],
    unread: many(count, (index) => ({ what: `${index}${hostile}`, why: "kind", count: 1 })),
    assumed: [],
  },
  ...(side === undefined ? {} : { side }),
});

/** Reports of clusters that are not the same. */
const reportsOf = (sites: number, count: number) =>
  many(sites, (index) => ({ ...aReport(count, `site${index}`), consequences: [`It is site${index}.`] }));

const rendered = (...reports: readonly (DiffReport & OfSide)[]) => comment(reports, "").toString();

/** Reports whether each part that is opened is closed, and no other is opened in it. */
function isBalanced(text: string): boolean {
  let fence = "";
  let depth = 0;
  for (const line of text.split("\n")) {
    const [mark = ""] = /^`{3,}/.exec(line) ?? [];
    if (fence !== "") fence = mark === line && mark.length >= fence.length ? "" : fence;
    else if (mark !== "") fence = mark;
    else depth += Number(line.startsWith("<details>")) - Number(line === "</details>");
    if (depth < 0 || depth > 2) return false;
  }
  return fence === "" && depth === 0;
}

test.for([
  [
    "one cluster with very many of everything",
    [aReport(500)],
    [/And \d+ more issues\./, /And \d+ more lines\./],
  ],
  ["several clusters", reportsOf(9, 60), [/<summary>`site8`<\/summary>/]],
  ["very many clusters", reportsOf(400, 5), [/^And \d+ more clusters\.$/m]],
] as const)(
  "When a comment is of %s, it should fold, end with counts, and be short enough",
  ([, reports, ends]) => {
    const text = rendered(...reports);
    expect(text.length).toBeGreaterThan(20_000);
    expect(text.length).toBeLessThanOrEqual(65_100);
    expect(isBalanced(text)).toBe(true);
    for (const end of ends) expect(text).toMatch(end);
  },
);

test("When everything has room, nothing should be left out", () => {
  const text = rendered(aReport(3));
  expect(text).not.toMatch(/And \d+ more/);
  expect(isBalanced(text)).toBe(true);
});

test("When the old side has issues as well, they should be folded with a count after what the change causes", () => {
  const report = aReport(3);
  const [caused, known] = [
    report.issues.slice(1, 2),
    [report.issues[0], report.issues[2]].filter((one) => one !== undefined),
  ];
  const text = rendered({ ...report, issues: [...known, ...caused], known });
  expect(text).toMatch(/^### 🔴 hubrelay: 1 warning · 2 errors that were there before · /m);
  const [shown = "", folded = ""] = text.split("<details><summary>2 errors that were there before</summary>");
  expect([shown.match(/^- (?:❌|⚠️)/gm), folded.match(/^- (?:❌|⚠️)/gm)]).toEqual([["- ⚠️"], ["- ❌", "- ❌"]]);
  expect(isBalanced(text)).toBe(true);
});

test("When several clusters have the same result, the comment should have it once, and name those without one", () => {
  const unaffected = { ...aReport(0, "lab"), issues: [], changes: [], policies: [] };
  const text = rendered(aReport(3, "prod"), aReport(3, "stage"), unaffected);
  expect(text).toContain("### ❌ hubrelay: 2 of 3 clusters affected\n");
  expect(text.match(/^\| `.*/gm)?.slice(0, 2)).toEqual([
    "| `prod`, `stage` | 2 errors, 1 warning · images are let in that were refused | 🟡 **drain** |",
    "| `lab` | not affected | ⚪ **none** |",
  ]);
  expect(text.match(/<summary>`.*/g)).toEqual(["<summary>`prod`, `stage`</summary>"]);
  expect(rendered(unaffected)).toMatch(/^<!-- hubrelay diff: no effect -->\n.+\n$/);
});

test("When clusters differ in what is assumed, the comment should say it once, with its clusters", () => {
  const assuming = (side: string, ...texts: readonly string[]) => {
    const report = aReport(1, side);
    const assumed = texts.map((text) => ({ what: "release", text }) as const);
    return { ...report, coverage: { ...report.coverage, unread: [], assumed } };
  };
  const text = rendered(
    assuming("prod", "an empty Image", "release 4.18"),
    assuming("stage", "an empty Image"),
  );
  expect(text).toMatch(/\nAssumed: an empty Image; release 4\.18 \(prod\)\.\n$/);
});

test("When nothing changes in what was read, the comment should name what was left out of it", () => {
  const unread = (["excluded", "document"] as const).map((why) => ({ what: `${why}.yaml`, why, count: 1 }));
  const report = aReport(0);
  expect(rendered({ ...report, coverage: { ...report.coverage, unread } })).toBe(
    "<!-- hubrelay diff: no effect -->\nhubrelay: nothing that was read changes on any node. Not read: excluded.yaml: excluded by .hubrelay.yaml, and changed.\n",
  );
});
