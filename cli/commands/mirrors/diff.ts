import { compareSides, type Side } from "#shared/domain/diff/compare-sides.ts";
import {
  causedIssues,
  type DiffReport,
  diffAssumptions,
  diffReport,
  type Findings,
  isWholeReport,
  uncomparedFiles,
  type WrongSide,
  wrongSide,
} from "#shared/domain/diff/diff-report.ts";
import { countsOf, errorsOf, fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { refusingUnknown } from "#shared/domain/issues/unknown-fields.ts";
import { isSameJson, withoutRepeats } from "#shared/domain/json/values.ts";
import { isOfAnyVersion, kinds } from "#shared/domain/kubernetes/object.ts";
import { highestCost } from "#shared/domain/node-cost/cost.ts";
import type { FailCondition } from "#shared/domain/repository/fail-on.ts";
import { type JudgedIssues, judgedIssues, withSeverities } from "#shared/domain/repository/judged-issues.ts";
import { coverageIssues, inputCoverage } from "#shared/domain/result-coverage/coverage.ts";
import { listedBySide, type OfSide, ofSide, reportClusters } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { eachWithProgress } from "../../io/progress-bar.ts";
import { exitCodeFor } from "../../io/repository/exit-code-for.ts";
import { repositoryOf } from "../../io/repository/repository.ts";
import { joined, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { diffTable } from "./cost-table.ts";
import {
  type Compared,
  type ComparedCluster,
  decisiveKinds,
  type GivenSide,
  readClusters,
} from "./diff-side.ts";
import { comment } from "./pull-request-comment/diff-markdown.ts";
import { givenVersion, namedRelease, type ReleaseOptions, withRelease } from "./release-input.ts";
import { otherMachineConfigs, type RenderedSide, renderSide, withClusterObjects } from "./render-side.ts";

/**
 * Returns a warning where the logins of pods' namespaces change: machine-config-operator writes them to
 * /etc/kubernetes/credential-providers, whose default policy restarts the kubelet (pkg/apihelpers/apihelpers.go:113).
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
  /** Folders of both sides that are rendered. */
  filename?: readonly string[];
  output: "table" | "markdown" | StructuredFormat;
  issues: "text" | "json";
  requireCoverage?: boolean;
  /** Only errors are printed, and formats for programs. */
  quiet?: boolean;
  /** Time of the change; absent: now. */
  now?: Date;
  failOn?: readonly FailCondition[];
}> &
  ReleaseOptions;

const placeIn = (side: GivenSide, issues: readonly Issue[]): readonly Issue[] =>
  "place" in side ? side.place(issues) : issues;

/** What changes in one cluster, or what is wrong with it where a side cannot be rendered. */
type ClusterDiff = Readonly<{
  name: string;
  report: DiffReport | WrongSide;
  /** The issues to print: those of the old side too if it cannot be rendered. */
  issues: readonly Issue[];
}>;

type DiffContext = Compared &
  Readonly<{
    names: Readonly<{ before: string; after: string }>;
    release: ReleaseOptions;
    at: Date;
    requireCoverage: boolean;
    /** Issues of files that may be of any cluster. */
    ofFiles: readonly Issue[];
    judge: (issues: readonly Issue[]) => JudgedIssues;
    /** Gives issues the severities that they have in the repository. */
    weigh: (issues: readonly Issue[]) => readonly Issue[];
  }>;

async function diffOf(
  { name, release: ofCluster, ...given }: ComparedCluster,
  {
    names,
    release: chosen,
    at,
    unread,
    enforced,
    isWhole,
    requireCoverage,
    ofFiles,
    judge,
    weigh,
  }: DiffContext,
): Promise<ClusterDiff> {
  const release = withRelease(chosen, ofCluster);
  const before = withClusterObjects(given.before, given.after);
  const after = withClusterObjects(given.after, given.before);
  const judged = (side: RenderedSide): RenderedSide => ({ ...side, issues: refusingUnknown(side.issues) });
  const old = judged(await renderSide(before, release));
  const now = judged(await renderSide(after, release));
  const findingsOf = (found: readonly Issue[]): Findings => {
    const { issues, accepted } = judge([...ofFiles, ...found]);
    return { issues, accepted: accepted.length, isRefused: now.isRefused };
  };
  const wrong = (findings: Findings) => wrongSide(findings, weigh(old.issues), weigh(now.issues));
  if (!old.side || !now.side) {
    const findings = findingsOf(placeIn(after, withoutRepeats(now.issues)));
    const report = wrong(findings);
    return { name, report, issues: [...(old.side ? [] : placeIn(before, old.issues)), ...report.issues] };
  }
  const { report: costs, issues } = compareSides(old.side, now.side, at, givenVersion(release));
  const others = [...otherMachineConfigs(old.side, now.side), ...changedLogins(old.side, now.side)];
  const sides = [
    { name: names.before, side: old.side, issues: old.issues },
    { name: names.after, side: now.side, issues: now.issues },
  ] as const;
  const found = [...now.issues, ...issues, ...others];
  const coverage = inputCoverage(
    {
      objects: sides.flatMap(({ side }) => side.objects),
      nodeFiles: [given.before, given.after].flatMap((one) => ("files" in one ? one.files : [])),
      unread: [...unread, ...uncomparedFiles(...sides)],
      enforced: "origin" in given.after && given.after.origin === "files" ? [] : enforced,
      issues: [...old.issues, ...found],
      assumed: diffAssumptions(costs, ...sides, { ...namedRelease(release), isWhole }),
    },
    decisiveKinds,
  );
  const notCovered = requireCoverage ? coverageIssues(coverage) : [];
  const findings = findingsOf([...placeIn(after, withoutRepeats(found)), ...notCovered]);
  const report = diffReport(costs, wrong(findings), coverage);
  return { name, report, issues: report.issues };
}

type ShownDiff = DiffReport & OfSide;

/** Renders what changes in each cluster; a single one has no name. */
function shown(found: readonly ShownDiff[], output: "table" | StructuredFormat): SafeText {
  return rendered(
    found,
    output,
    (clean) => listedBySide(clean, (own) => joined(own.map(diffTable), safe``)),
    // The format of a single cluster has no list.
    (clean) => (clean.every(({ side }) => side === undefined) ? clean[0] : { sides: clean }),
  );
}

/**
 * Runs `hubrelay diff`: prints the changes between two sides and their cost for each node on standard output, for each
 * cluster where there are several, and issues of the new side on standard error; those of the old side only if it cannot be
 * rendered. Returns the exit code, which follows the issues that the old side does not have, as the comment on a pull request
 * does; a change is an error only with `failOn`.
 */
export async function diff(
  before: string,
  after: string,
  {
    filename,
    output,
    issues: format,
    requireCoverage = false,
    quiet = false,
    now: at = new Date(),
    failOn,
    ...release
  }: DiffOptions,
): Promise<number> {
  if (before === "-" && after === "-") throw new UsageError("only one side can be standard input");
  const repository = await repositoryOf();
  const { settings, pathOf } = repository;
  const { clusters, texts, ...compared } = await readClusters(before, after, repository, filename);
  const judge = (found: readonly Issue[]) => judgedIssues(found, { settings, texts, pathOf, now: at });
  const weigh = (found: readonly Issue[]) => withSeverities(found, settings);
  const names = { before, after };
  const context = { ...compared, names, release, at, requireCoverage, judge, weigh };
  const found: ClusterDiff[] = [];
  for (const cluster of eachWithProgress("clusters compared", clusters))
    found.push(await diffOf(cluster, context));
  if (!quiet) reportClusters(clusters, format);
  const issues = withoutRepeats(found.flatMap((one) => one.issues));
  printIssues(quiet ? errorsOf(issues) : issues, format);
  const all = found.flatMap(({ name, report }) => ofSide({ name }, [report]));
  const reports = all.filter(isWholeReport);
  if (output === "markdown") print(rendered(all, output, comment));
  else if (reports.length > 0 && !(quiet && output === "table")) print(shown(reports, output));
  if (reports.length < all.length) return exitCodes.issues;
  const differs = reports.some(({ changes, hostedClusters }) => changes.length + hostedClusters.length > 0);
  const cost = highestCost(reports.map((report) => report.cost));
  const caused = withoutRepeats(reports.flatMap(causedIssues));
  return exitCodeFor({ ...countsOf(caused), differs, cost }, failOn ?? settings.failOn);
}
