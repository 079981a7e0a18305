import { inputCoverage } from "#shared/domain/covered/input-coverage.ts";
import { coverageIssues } from "#shared/domain/covered/issue-coverage.ts";
import { compareSides } from "#shared/domain/diff/compare-sides.ts";
import {
  type DiffReport,
  diffAssumptions,
  diffReport,
  uncomparedFiles,
} from "#shared/domain/diff/diff-report.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { refusingUnknown } from "#shared/domain/issues/unknown-fields.ts";
import { withoutRepeats } from "#shared/domain/json/same-json.ts";
import { listedBySide, type OfSide, ofSide, reportClusters } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { joined, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { changedLogins } from "./changed-logins.ts";
import { costsMarkdown } from "./cost-markdown.ts";
import { diffTable } from "./cost-table.ts";
import {
  type Compared,
  type ComparedCluster,
  decisiveKinds,
  type GivenSide,
  readClusters,
} from "./diff-side.ts";
import { givenVersion, namedRelease, type ReleaseOptions } from "./release-input.ts";
import {
  otherMachineConfigs,
  type RenderedSide,
  type RenderSideOptions,
  renderSide,
  withClusterMachineConfigs,
} from "./render-side.ts";

export type DiffOptions = Readonly<{
  output: "table" | "markdown" | StructuredFormat;
  compat?: "mco";
  issues: "text" | "json";
  requireCoverage?: true;
  /** Time of the change; absent: now. */
  now?: Date;
}> &
  ReleaseOptions;

const placeIn = (side: GivenSide, issues: readonly Issue[]): readonly Issue[] =>
  "place" in side ? side.place(issues) : issues;

/**
 * Renders the old side. What machine-config-operator refuses as a whole was in effect in parts at best: then the valid
 * rules count.
 */
async function renderOldSide(given: GivenSide, options: RenderSideOptions): Promise<RenderedSide> {
  const rendered = await renderSide(given, options);
  if (rendered.side || !options.compat) return rendered;
  const { compat: _refuses, ...lenient } = options;
  return { ...(await renderSide(given, lenient)), issues: rendered.issues };
}

type DiffContext = Compared &
  Readonly<{
    names: Readonly<{ before: string; after: string }>;
    compat: "mco" | undefined;
    release: ReleaseOptions;
    at: Date;
  }>;

/** What changes in one cluster; no report if a side cannot be rendered. Issues are those of the new side. */
type ClusterDiff = Readonly<{ name: string; report: DiffReport | undefined; issues: readonly Issue[] }>;

async function diffOf(
  { name, ...given }: ComparedCluster,
  { names, compat, release, at, unread, isWhole }: DiffContext,
): Promise<ClusterDiff> {
  const options = { release, ...(compat ? { compat } : {}) };
  const before = withClusterMachineConfigs(given.before, given.after);
  const after = withClusterMachineConfigs(given.after, given.before);
  const judged = (side: RenderedSide): RenderedSide =>
    compat ? side : { ...side, issues: refusingUnknown(side.issues) };
  const old = judged(await renderOldSide(before, options));
  const previous = old.side?.filesOf("worker");
  const now = judged(await renderSide(after, { ...options, ...(previous ? { previous } : {}) }));
  if (!old.side || !now.side) {
    const ofOld = old.side ? [] : placeIn(before, old.issues);
    return { name, report: undefined, issues: [...ofOld, ...placeIn(after, now.issues)] };
  }
  const { report, issues } = compareSides(old.side, now.side, at, givenVersion(release));
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
      issues: [...old.issues, ...found],
      assumed: diffAssumptions(report, ...sides, { ...namedRelease(release), isWhole }),
    },
    decisiveKinds,
  );
  return {
    name,
    report: diffReport(report, old.issues, now.issues, coverage),
    issues: placeIn(after, withoutRepeats(found)),
  };
}

type ShownDiff = DiffReport & OfSide;

/** Renders what changes in each cluster; a single one has no name. */
function shown(found: readonly ShownDiff[], output: DiffOptions["output"]): SafeText {
  return rendered(
    found,
    output,
    (clean) =>
      output === "markdown"
        ? costsMarkdown(clean)
        : listedBySide(clean, (own) => joined(own.map(diffTable), safe``)),
    // The format of a single cluster has no list.
    (clean) => (clean.every(({ side }) => side === undefined) ? clean[0] : { sides: clean }),
  );
}

/**
 * Runs `hubrelay diff`: prints the changes between two sides and their cost for each node on standard output, for each
 * cluster where there are several, and issues of the new side on standard error; those of the old side only if it cannot be
 * rendered. Returns the exit code, which follows the new side; a change is not an error.
 */
export async function diff(
  before: string,
  after: string,
  { output, compat, issues: format, requireCoverage, now: at = new Date(), ...release }: DiffOptions,
): Promise<number> {
  if (before === "-" && after === "-") throw new UsageError("only one side can be standard input");
  const { clusters, ofFiles, ...compared } = await readClusters(before, after);
  const context = { ...compared, names: { before, after }, compat, release, at };
  const found: ClusterDiff[] = [];
  for (const cluster of clusters) found.push(await diffOf(cluster, context));
  reportClusters(clusters, format);
  const notCovered = found.flatMap(({ report }) =>
    requireCoverage && report ? coverageIssues(report.coverage) : [],
  );
  const issues = [...ofFiles, ...found.flatMap((one) => one.issues), ...notCovered];
  const exitCode = printIssues(issues, format);
  const reports = found.flatMap(({ name, report }) => (report ? ofSide({ name }, [report]) : []));
  if (reports.length > 0) print(shown(reports, output));
  return reports.length < found.length ? exitCodes.issues : exitCode;
}
