import type { Assumption, Coverage, UnreadReason } from "../issues/coverage.ts";
import { countsOf, hasErrors, type Issue } from "../issues/issue.ts";
import { clusterAssumptions } from "../mirrors/assumptions.ts";
import { type MirrorInput, mirrorInputOf, refusedText } from "../mirrors/configuration.ts";
import { clusterReleases } from "../openshift/releases/cluster-releases.ts";
import { sentence } from "../text/redact.ts";
import type { CostReport, Side } from "./compare-sides.ts";
import { isDrainOverride, isMachineOSConfig } from "./node-cost/disruption-policy.ts";

/** A side of `hubrelay diff` with its name for messages, and its issues. */
export type NamedSide = Readonly<{
  name: string;
  side: Side;
  issues: readonly Issue[];
  /** That it configures no mirror is known, not assumed. */
  isWhole?: boolean;
}>;

/** What is wrong with the new side. */
export type Findings = Readonly<{
  /** The issues that count, at their places. */
  issues: readonly Issue[];
  /** How many do not count, since they are accepted. */
  accepted: number;
  /** Nothing of it reaches nodes, also what is valid. */
  isRefused: boolean;
}>;

/** What is wrong with the new side, and what it fixes. */
export type Wrong = Readonly<{
  /** The issues of the new side that count. */
  issues: readonly Issue[];
  /** Those of them that the old side has as well. */
  known: readonly Issue[];
  /** How many of its issues do not count, since they are accepted. */
  accepted: number;
  /** What follows from its errors, a sentence each. */
  consequences: readonly string[];
  /** How many issues of the old side the new one does not have. */
  fixed: Readonly<{ errors: number; warnings: number }>;
  /** These issues, with the names that their files have on the new side. */
  fixedIssues: readonly Issue[];
}>;

/** The same, and what it is about. */
export type WrongSide = Wrong & Readonly<{ coverage: Coverage }>;

/** What two sides differ in, what the new one fixes, and what the result is about. */
export type DiffReport = CostReport &
  WrongSide &
  Readonly<{
    /** What the coverage has as assumed. */
    assumed: readonly string[];
  }>;

/** Why contents that may decide what nodes have were not read. */
const unreadContents: readonly UnreadReason[] = ["template", "not-enforced", "unreadable"];

/** Returns what follows where nothing changes: it is said only of what was read, and of the clusters that get it. */
export function unchangedText({ unread, enforced }: Coverage): string {
  const what = unread.some(({ why }) => unreadContents.includes(why)) ? "nothing that was read" : "nothing";
  return `${what} changes on any node${enforced ? " of the clusters of these policies" : ""}`;
}

/** Reports whether both sides could be rendered, so that changes and costs are known. */
export function isWholeReport<Report extends WrongSide>(report: Report): report is Report & DiffReport {
  return "changes" in report;
}

/** Identifies an issue on both sides: what was added before it changes the index of a rule, and the line in a file. */
function identity({ code, severity, object, path, value, file }: Issue): string {
  const isPlace = /^\d+:\d+$/.test(path) || (object.kind === "File" && path === file);
  const field = isPlace ? "" : path.replaceAll(/\[\d+\]/g, "[]");
  return JSON.stringify([code, severity, object, field, value]);
}

/** Returns the issues without those that others have as well, and the others that none of them is. */
function unmatched(
  issues: readonly Issue[],
  others: readonly Issue[],
  keyOf: (issue: Issue) => string,
): readonly [issues: readonly Issue[], others: readonly Issue[]] {
  const left = Map.groupBy(others, keyOf);
  const own = issues.filter((issue) => left.get(keyOf(issue))?.shift() === undefined);
  return [own, [...left.values()].flat()];
}

/** Returns the issues of a side that the other one does not have: one in the same file is preferred to the same elsewhere. */
export function issuesOnlyIn(issues: readonly Issue[], others: readonly Issue[]): readonly Issue[] {
  const inFile = (issue: Issue) => `${issue.file ?? ""} ${identity(issue)}`;
  return unmatched(...unmatched(issues, others, inFile), identity)[0];
}

const configuresNothing = ({ side: { filesOf }, isWhole = false }: NamedSide): boolean =>
  !isWhole && filesOf("worker").length === 0;

/** Returns what follows from sides without mirrors. */
function emptySides(before: NamedSide, after: NamedSide): readonly string[] {
  const [isFromNothing, isToNothing] = [configuresNothing(before), configuresNothing(after)];
  if (isFromNothing && isToNothing)
    return [sentence`neither ${before.name} nor ${after.name} configures a mirror`];
  if (isFromNothing) return [sentence`${before.name} configures no mirror, and every entry is added`];
  return isToNothing ? [sentence`${after.name} configures no mirror, and every entry is removed`] : [];
}

function sideAssumptions(before: NamedSide, after: NamedSide): readonly string[] {
  return [
    ...emptySides(before, after),
    ...(hasErrors(before.issues)
      ? [sentence`only the valid rules of ${before.name} count, since it has errors`]
      : []),
  ];
}

/**
 * Returns what is assumed in a comparison. `release` is what options name; `isWhole` says that a side has all objects of a
 * hub.
 */
export function diffAssumptions(
  { changes }: CostReport,
  before: NamedSide,
  after: NamedSide,
  { isWhole, ...release }: Partial<MirrorInput> & Readonly<{ isWhole: boolean }>,
): readonly Assumption[] {
  const objects = [after, before].flatMap(({ side }) => side.objects);
  const input = { ...mirrorInputOf(objects), ...release };
  const pools = "pools master and worker, one node at a time, with any cost allowed";
  // Files of a node follow from nothing else.
  const ofCluster = clusterAssumptions(input, { isWhole, pools }).filter(
    ({ what }) => objects.length > 0 || (what === "pool" && changes.length > 0),
  );
  const dependsOnRelease = objects.some((object) => isDrainOverride(object) || isMachineOSConfig(object));
  const { isAssumed } = clusterReleases(input.clusterVersion, input.releaseVersion);
  return [
    ...sideAssumptions(before, after).map((text) => ({ what: "side", text }) as const),
    ...ofCluster,
    ...(isAssumed && dependsOnRelease
      ? [
          {
            what: "release",
            text: "image mode and image-registry-override-drain change no cost, as since 4.20",
          } as const,
        ]
      : []),
  ];
}

/**
 * Returns what is wrong with the new side; `before` and `after` are all issues of the sides, the accepted ones too. A folder of
 * the new side that cannot be rendered is wrong whatever the old side has: nothing of it was compared.
 */
export function wrongSide(
  { issues, accepted, isRefused }: Findings,
  before: readonly Issue[],
  after: readonly Issue[],
): Wrong {
  const consequences = isRefused ? [refusedText] : [];
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

/** Returns the issues that only the new side has: those that the exit code of `hubrelay diff` follows. */
export const causedIssues = ({ issues, known }: Pick<WrongSide, "issues" | "known">): readonly Issue[] =>
  issuesOnlyIn(issues, known);

/** Adds to a comparison what is wrong with the new side, what it fixes, and what the result is about. */
export function diffReport(report: CostReport, wrong: Wrong, coverage: Coverage): DiffReport {
  return {
    ...report,
    ...wrong,
    assumed: coverage.assumed.map(({ text }) => text),
    coverage,
  };
}
