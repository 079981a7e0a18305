import { type CostReport, compareSides, type Side } from "#shared/domain/diff/compare-sides.ts";
import {
  type DiffReport,
  diffAssumptions,
  diffReport,
  type Findings,
  isWholeReport,
  type WrongSide,
  wrongSide,
} from "#shared/domain/diff/diff-report.ts";
import { absentOverrides } from "#shared/domain/diff/operator-overrides.ts";
import { causedIssues } from "#shared/domain/issues/caused-issues.ts";
import {
  coverageIssues,
  coverageLines,
  coverageOf,
  inputCoverage,
  unreadOfIssues,
} from "#shared/domain/issues/coverage.ts";
import { countsOf, errorsOf, fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { refusingUnknown } from "#shared/domain/issues/unknown-fields.ts";
import { isSameJson, withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, isOfAnyVersion, kinds } from "#shared/domain/kubernetes/object.ts";
import { highestCost, maxCostOf } from "#shared/domain/plan/cost.ts";
import { excludedFiles } from "../../io/excluded-files.ts";
import { type PrintedIssue, printIssues } from "../../io/issue-text.ts";
import { listedBySide, type OfSide, ofSide, reportClusters } from "../../io/report/side-lists.ts";
import { exitCodeFor } from "../../io/repository/exit-code-for.ts";
import {
  acceptanceComments,
  type JudgedIssues,
  judgedIssues,
  withSeverities,
} from "../../io/repository/judged-issues.ts";
import { changeNote, repositoriesOf } from "../../io/repository/repository.ts";
import { joined, print, printMessage, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { UsageError } from "../../program/exit-codes.ts";
import type { FailCondition } from "../../program/fail-on.ts";
import type { SignatureChanges } from "./check-signatures.ts";
import { diffTable } from "./cost-table.ts";
import {
  asOnNewSide,
  type Compared,
  type ComparedCluster,
  type ComparedClusters,
  decisiveKinds,
  type GivenSide,
  readClusters,
} from "./diff-side.ts";
import { givenVersion, namedRelease, type ReleaseOptions, withRelease } from "./mirror-input.ts";
import { comment } from "./pull-request-comment/diff-markdown.ts";
import { otherMachineConfigs, type RenderedSide, renderSide, withClusterObjects } from "./render-side.ts";

/**
 * machine-config-operator writes the CRIOCredentialProviderConfig below /etc/kubernetes/credential-providers. By
 * default, a change there restarts the kubelet (pkg/apihelpers/apihelpers.go:113).
 */
function changedLogins(before: Side, after: Side): readonly Issue[] {
  const configOf = ({ objects }: Side) =>
    objects.find((object) => isOfAnyVersion(kinds.CRIOCredentialProviderConfig, object));
  const old = configOf(before);
  const now = configOf(after);
  const object = now ?? old;
  if (!object || isSameJson(old?.spec ?? null, now?.spec ?? null)) return [];
  return [
    fieldWarning(object, "spec", undefined, {
      code: "CredentialProviderChanges",
      message:
        "This changes /etc/kubernetes/credential-providers on every node: the kubelet restarts, without a drain or reboot. That is not part of the cost.",
      remedy: "Nothing, unless a node disruption policy for this path says otherwise.",
    }),
  ];
}

export type DiffOptions = Readonly<{
  /** Folders to render on both sides. */
  filename?: readonly string[];
  output: "table" | "markdown" | StructuredFormat;
  requireCoverage?: boolean;
  /** True to print only errors and, unless `output` is `table`, the result. */
  quiet?: boolean;
  /** The time for which the cost is computed; absent for the current time. */
  now?: Date;
  failOn?: readonly FailCondition[];
  /** True to ask registries for the images in use whose signatures decide whether they are pulled. */
  checkSignatures?: boolean;
  /** The file of the pull secret for `checkSignatures`. */
  pullSecret?: string;
}> &
  ReleaseOptions;

type ClusterDiff = Readonly<{
  name: string;
  report: DiffReport | WrongSide;
  /** True if the cost is unknown because the objects belong to several clusters that the settings do not name. */
  isUnclear?: boolean;
}>;

type Found = Pick<RenderedSide, "issues"> & Partial<Pick<RenderedSide, "side">>;

type DiffContext = Pick<ComparedClusters, keyof Compared | "ofFiles"> &
  Readonly<{
    release: ReleaseOptions;
    /** For `--check-signatures`. */
    checkSigning: ((costs: CostReport, before: Side, after: Side) => Promise<SignatureChanges>) | undefined;
    at: Date;
    requireCoverage: boolean;
    nameOf(file: string): string;
    judge: (issues: readonly Issue[]) => JudgedIssues;
    allOf: (side: keyof ComparedClusters["ofFiles"], found: Found) => readonly Issue[];
  }>;

type Each = NonNullable<ComparedCluster["several"]>["before"];

const areSame = (before: Each, after: Each): boolean =>
  [
    [before, after],
    [after, before],
  ].every(([some = [], others = []]) =>
    some.every(({ object }) => others.some((other) => isSameJson(other.object, object))),
  );

const uncheckedImages = { what: "images of hosted clusters", why: "not-checked", count: 1 } as const;

async function diffOf(
  { name, release: ofCluster, several, ...given }: ComparedCluster,
  context: DiffContext,
): Promise<ClusterDiff> {
  const { at, requireCoverage, ofFiles, judge, allOf } = context;
  const release = withRelease(context.release, ofCluster);
  const before = withClusterObjects(given.before, given.after);
  const after = withClusterObjects(given.after, given.before);
  const rendering = (side: GivenSide): RenderedSide => {
    const one = renderSide(side, release);
    return { ...one, issues: side.place(refusingUnknown(one.issues)) };
  };
  // If the settings do not name the clusters, the nodes of an object are unknown, so each object is checked alone.
  const checking = (each: Each, ofClusters: readonly Issue[]): RenderedSide => {
    const sides = each.map(({ object, place }) => ({ objects: [object], issues: [], place }));
    const found = sides.flatMap((side) => rendering(side).issues);
    return { side: undefined, issues: [...found, ...ofClusters], isRefused: false };
  };
  const isSame = several !== undefined && areSame(several.before, several.after);
  const unclear = (issue: Issue): Issue => (requireCoverage ? { ...issue, severity: "error" } : issue);
  const old = several ? checking(several.before, isSame ? [unclear(several.issue)] : []) : rendering(before);
  const now = several ? checking(several.after, [unclear(several.issue)]) : rendering(after);
  const findingsOf = (found: readonly Issue[]): Findings => {
    const { issues, accepted } = judge([...ofFiles.after, ...found]);
    return { issues, accepted: accepted.length, isRefused: now.isRefused };
  };
  const wrong = (findings: Findings) => wrongSide(findings, allOf("before", old), allOf("after", now));
  if (!old.side || !now.side) {
    const unread = [...context.unread, ...unreadOfIssues([...old.issues, ...now.issues], context.nameOf)];
    // A result without cost needs no assumptions.
    const coverage = coverageOf({ read: [], unread, assumed: [] });
    const notCovered = requireCoverage ? coverageIssues(coverage) : [];
    const findings = findingsOf([...after.place(withoutRepeats(now.issues)), ...notCovered]);
    return { name, report: { ...wrong(findings), coverage }, ...(several ? { isUnclear: !isSame } : {}) };
  }
  const {
    report: costs,
    issues,
    hostedPolicies,
  } = compareSides(old.side, now.side, at, givenVersion(release));
  const signing = await context.checkSigning?.(costs, old.side, now.side);
  const { changes = [], unread = [], issues: ofAccess = [] } = signing ?? {};
  const others = [
    ...otherMachineConfigs(old.side, now.side),
    ...changedLogins(old.side, now.side),
    ...ofAccess,
  ];
  const sides = [
    { name: "the old side", side: old.side, issues: old.issues },
    { name: "the new side", side: now.side, issues: now.issues },
  ] as const;
  const found = [...now.issues, ...issues, ...others];
  const coverage = inputCoverage(
    {
      objects: sides.flatMap(({ side }) => side.objects),
      unread: [
        ...context.unread,
        ...unread,
        ...(signing ? hostedPolicies : []).map(() => uncheckedImages),
        ...absentOverrides(old.side.objects, now.side.objects),
      ],
      enforced: given.after.origin === "files" ? [] : context.enforced,
      issues: [...old.issues, ...found],
      nameOf: context.nameOf,
      assumed: [
        ...diffAssumptions(costs, ...sides, { ...namedRelease(release), isWhole: context.isWhole }),
        ...(signing ? [{ what: "architecture", text: "architecture amd64" } as const] : []),
      ],
    },
    decisiveKinds,
  );
  const notCovered = requireCoverage ? coverageIssues(coverage) : [];
  const findings = findingsOf([...after.place(withoutRepeats(found)), ...notCovered]);
  const policies = [...costs.policies, ...changes];
  const report = diffReport({ ...costs, policies }, wrong(findings), coverage);
  return { name, report };
}

const clusterTable = (report: WrongSide): SafeText =>
  isWholeReport(report)
    ? diffTable(report)
    : safe`${coverageLines(report.coverage).map((line) => safe`${line}\n`)}`;

function shown(found: readonly (WrongSide & OfSide)[], output: "table" | StructuredFormat): SafeText {
  return rendered(
    found,
    output,
    (clean) => listedBySide(clean, (own) => joined(own.map(clusterTable), safe``)),
    // The output for a single cluster is not a list.
    (clean) => (clean.every(({ side }) => side === undefined) ? clean[0] : { sides: clean }),
  );
}

/** Runs `hubrelay diff`: prints the changes between two sides and their cost for nodes. Returns the exit code. */
export async function diff(
  before: string,
  after: string,
  {
    filename,
    output,
    requireCoverage = false,
    quiet = false,
    now: at = new Date(),
    failOn,
    checkSignatures = false,
    pullSecret,
    ...release
  }: DiffOptions,
): Promise<number> {
  if (before === "-" && after === "-") throw new UsageError("only one side can be standard input");
  const repositories = await repositoriesOf(before, after);
  const { settings } = repositories.after;
  const { clusters, texts, ...read } = await readClusters(before, after, repositories, filename);
  // Rendered folders are read even if settings exclude their files.
  const excluded = filename ? [] : await excludedFiles(before, after, repositories.after);
  const compared = { ...read, unread: [...read.unread, ...excluded] };
  const base = { ...repositories.before, texts: texts.before };
  const judging = { ...repositories.after, texts: texts.after, now: at, base };
  const judge = (found: readonly Issue[]) => judgedIssues(found, judging);
  const allOf: DiffContext["allOf"] = (side, { issues: own, side: { objects = [] } = {} }) => {
    const limits = objects
      .filter((object) => isKind(kinds.MachineConfigPool, object))
      .flatMap((pool) => maxCostOf(pool).issues);
    const weighed = withSeverities([...compared.ofFiles[side], ...own, ...limits], settings);
    const all = [...weighed, ...texts[side].flatMap((text) => acceptanceComments(text, nameOf).issues)];
    return side === "before" ? asOnNewSide(all, before, after) : all;
  };
  const { nameOf } = repositories.after;
  const checks = checkSignatures ? await import("./check-signatures.ts") : undefined;
  const access = { isLive: before === "hub" || after === "hub", pullSecret };
  const checkSigning: DiffContext["checkSigning"] =
    checks && ((costs, old, now) => checks.checkSignatures(costs, old, now, access));
  const context = { ...compared, nameOf, release, at, requireCoverage, judge, allOf, checkSigning };
  const found: ClusterDiff[] = [];
  for (const cluster of clusters) found.push(await diffOf(cluster, context));
  if (!quiet) reportClusters(clusters);
  const note = changeNote({ ...repositories, added: judge([]).added });
  if (note !== "" && output !== "markdown") printMessage(safe`${note}`);
  const known = new Set<PrintedIssue>(found.flatMap(({ report }) => report.known));
  const issues = withoutRepeats(found.flatMap(({ report }) => report.issues)).map(
    (issue): PrintedIssue => (known.has(issue) ? { ...issue, known: true } : issue),
  );
  printIssues(quiet ? errorsOf(issues) : issues);
  const all = found.flatMap(({ name, report }) => ofSide({ name }, [report]));
  const reports = all.filter(isWholeReport);
  if (output === "markdown") print(rendered(all, output, (clean) => comment(clean, note)));
  else if (output !== "table" || !quiet) print(shown(all, output));
  const differs = reports.some(({ changes, hostedClusters }) => changes.length + hostedClusters.length > 0);
  const isUnknown = found.some(({ report, isUnclear = !isWholeReport(report) }) => isUnclear);
  const cost = isUnknown ? "unknown" : highestCost(reports.map((report) => report.cost));
  const caused = withoutRepeats(all.flatMap(causedIssues));
  return exitCodeFor({ ...countsOf(caused), differs, cost }, failOn ?? settings.failOn);
}
