import { issuesOnlyIn } from "../issues/caused-issues.ts";
import type { Assumption, Coverage, UnreadReason } from "../issues/coverage.ts";
import { countsOf, hasErrors, type Issue } from "../issues/issue.ts";
import { clusterAssumptions } from "../mirrors/assumptions.ts";
import { type MirrorInput, mirrorInputOf, refusedText } from "../mirrors/configuration.ts";
import { clusterReleases } from "../openshift/releases/cluster-releases.ts";
import { sentence } from "../text/redact.ts";
import type { CostReport, Side } from "./compare-sides.ts";
import { isDrainOverride, isMachineOSConfig } from "./node-cost/disruption-policy.ts";

/** One of the two sides that `hubrelay diff` compares. */
export type NamedSide = Readonly<{
  name: string;
  side: Side;
  issues: readonly Issue[];
  /** True if the side has all objects of a hub. If such a side has no mirror objects, then no mirror is configured. */
  isWhole?: boolean;
}>;

/** The issues of the new side. */
export type Findings = Readonly<{
  issues: readonly Issue[];
  accepted: number;
  /** True if nodes get none of the side's mirror rules, because one of the rules is invalid. */
  isRefused: boolean;
}>;

/** The issues of the new side, and the old side's issues that the new side fixes. */
export type Wrong = Readonly<{
  /** All issues of the new side except those that users accept. */
  issues: readonly Issue[];
  /** The part of `issues` that the old side also has. */
  known: readonly Issue[];
  accepted: number;
  consequences: readonly string[];
  fixed: Readonly<{ errors: number; warnings: number }>;
  /** Issues that only the old side has. `file` is the name of their file on the new side. */
  fixedIssues: readonly Issue[];
}>;

/** The issues of a comparison, and the coverage of its input. */
export type WrongSide = Wrong & Readonly<{ coverage: Coverage }>;

/** The result of `hubrelay diff`. */
export type DiffReport = CostReport &
  WrongSide &
  Readonly<{
    assumed: readonly string[];
  }>;

const contentReasons: readonly UnreadReason[] = ["template", "not-enforced", "unreadable", "excluded"];

/** Returns the unread parts of the input that may configure nodes. */
export const unreadContents = (unread: Coverage["unread"]): Coverage["unread"] =>
  unread.filter(({ why }) => contentReasons.includes(why));

/** Returns `nothing changes on any node`. A limited coverage gives, for example, `nothing that was read changes …`. */
export function unchangedText({ unread, enforced }: Coverage): string {
  const what = unreadContents(unread).length > 0 ? "nothing that was read" : "nothing";
  return `${what} changes on any node${enforced?.length ? " of the clusters of these policies" : ""}`;
}

/** Reports whether the report has changes and costs. They are missing if one of the sides could not be rendered. */
export function isWholeReport<Report extends WrongSide>(report: Report): report is Report & DiffReport {
  return "changes" in report;
}

const configuresNothing = ({ side: { filesOf }, isWhole = false }: NamedSide): boolean =>
  !isWhole && filesOf("worker").length === 0;

function emptySides(before: NamedSide, after: NamedSide): readonly string[] {
  const [isFromNothing, isToNothing] = [configuresNothing(before), configuresNothing(after)];
  if (isFromNothing && isToNothing)
    return [sentence`neither ${before.name} nor ${after.name} configures a mirror`];
  if (isFromNothing) return [sentence`${before.name} configures no mirror, and every entry is added`];
  return isToNothing ? [sentence`${after.name} configures no mirror, and every entry is removed`] : [];
}

/** Returns the assumptions behind a comparison. `isWhole` is true if one of the sides has all objects of a hub. */
export function diffAssumptions(
  { changes }: CostReport,
  before: NamedSide,
  after: NamedSide,
  { isWhole, ...release }: Partial<MirrorInput> & Readonly<{ isWhole: boolean }>,
): readonly Assumption[] {
  const objects = [after, before].flatMap(({ side }) => side.objects);
  const input = { ...mirrorInputOf(objects), ...release };
  const pools = "pools master and worker, one node at a time, with any cost allowed";
  // Without objects, only the assumption about pools affects the cost of changed files.
  const ofCluster = clusterAssumptions(input, { isWhole, pools }).filter(
    ({ what }) => objects.length > 0 || (what === "pool" && changes.length > 0),
  );
  const dependsOnRelease = objects.some((object) => isDrainOverride(object) || isMachineOSConfig(object));
  const { isAssumed } = clusterReleases(input.clusterVersion, input.releaseVersion);
  const valid = sentence`only the valid rules of ${before.name} count, since it has errors`;
  const ofSides = [...emptySides(before, after), ...(hasErrors(before.issues) ? [valid] : [])];
  const modes = "image mode and image-registry-override-drain change no cost, as since 4.20";
  return [
    ...ofSides.map((text) => ({ what: "side", text }) as const),
    ...ofCluster,
    ...(isAssumed && dependsOnRelease ? [{ what: "release", text: modes } as const] : []),
  ];
}

/** Returns new, known and fixed issues. `before` and `after` have all issues of the sides, also accepted ones. */
export function wrongSide(
  { issues, accepted, isRefused }: Findings,
  before: readonly Issue[],
  after: readonly Issue[],
): Wrong {
  const consequences = isRefused ? [refusedText] : [];
  // The folder of a `RenderFailed` issue was not compared, so such an issue is never known.
  const caused = new Set(
    issuesOnlyIn(
      issues,
      before.filter(({ code }) => code !== "RenderFailed"),
    ),
  );
  const known = issues.filter((issue) => !caused.has(issue));
  const fixedIssues = issuesOnlyIn(before, after);
  return { issues, known, accepted, consequences, fixed: countsOf(fixedIssues), fixedIssues };
}

/** Combines the parts of a report. */
export function diffReport(report: CostReport, wrong: Wrong, coverage: Coverage): DiffReport {
  return {
    ...report,
    ...wrong,
    assumed: coverage.assumed.map(({ text }) => text),
    coverage,
  };
}
