import { join } from "node:path";
import { issuesOnlyIn } from "#shared/domain/diff/diff-report.ts";
import { coverageIssues } from "#shared/domain/issues/coverage.ts";
import { excludedOfChange } from "../../io/excluded-files.ts";
import { type ChangeSince, changeSince } from "../../io/git/changed-since.ts";
import { type ManifestsOrHub, manifestsBefore, manifestsOrHub } from "../../io/manifest-source.ts";
import { nothingToCheck } from "../../io/nothing-to-check.ts";
import { printReport, type ReportFormat } from "../../io/report/print-report.ts";
import { reportClusters } from "../../io/report/side-lists.ts";
import { summaryOf } from "../../io/report/validation-report.ts";
import { changeNote } from "../../io/repository/base-settings.ts";
import { exitCodeFor } from "../../io/repository/exit-code-for.ts";
import { type JudgedIssues, judgedIssues, withSeverities } from "../../io/repository/judged-issues.ts";
import {
  type ChangedRepository,
  changedRepository,
  repositoryOf,
  settingsOfBase,
} from "../../io/repository/repository.ts";
import { settingsFile } from "../../io/repository/settings.ts";
import { printMessage, safe } from "../../io/safe-text.ts";
import { UsageError } from "../../program/exit-codes.ts";
import type { FailCondition } from "../../program/fail-on.ts";
import type { CheckOptions } from "../hosted/hosted-cluster-check.ts";
import { type Checked, checkAll, hubKinds } from "./check-clusters.ts";
import { nodeConfigKinds } from "./mirror-input.ts";
import type { ReleaseOptions } from "./release-input.ts";

export type ValidateOptions = CheckOptions &
  ReleaseOptions &
  Readonly<{
    /** Absent: the live hub. */
    filename?: readonly string[];
    output: ReportFormat;
    /** The format of issues on standard error. */
    issues?: "text" | "json";
    /** A branch, tag or commit: issues that were there before count only in files that have changed since. */
    changedSince?: string;
    /** Nothing to check is not an error. */
    allowEmpty?: boolean;
    requireCoverage?: true;
    /** Only errors are printed. */
    quiet?: boolean;
    failOn?: readonly FailCondition[];
  }>;

/** Returns the change since a commit; undefined where none is asked about. */
async function changeOf({ filename, changedSince }: ValidateOptions): Promise<ChangeSince | undefined> {
  if (changedSince === undefined) return undefined;
  if (!filename || filename.includes("-"))
    throw new UsageError(
      "--changed-since compares files in git: name files or folders with -f, -k or --helm. Instead of piping what kustomize or Helm prints, name its folder.",
    );
  return changeSince(changedSince);
}

/** Returns the repository before and after a change, of which the base's settings decide; without a change the same twice. */
async function repositoriesSince(change: ChangeSince | undefined): Promise<ChangedRepository> {
  const own = await repositoryOf();
  if (!change) return { before: own, after: own, effects: [] };
  const [file] = await change.filesBefore(join(own.root, settingsFile), () => false);
  return changedRepository(own, { root: own.root, settings: settingsOfBase(file?.text) });
}

type Found = Checked & Readonly<{ report: Pick<JudgedIssues, "added"> }>;

/** Returns what a check found, of which only what the change since a commit causes counts. */
async function findIssues(
  read: ManifestsOrHub,
  change: ChangeSince | undefined,
  { before, after }: ChangedRepository,
  options: ValidateOptions,
): Promise<Found> {
  const { filename = [], requireCoverage } = options;
  const excluded = change ? excludedOfChange(filename, change, after) : [];
  const { report: whole, clusters } = await checkAll(
    { ...read, unread: [...read.unread, ...excluded] },
    options,
  );
  const notCovered = requireCoverage ? coverageIssues(whole.coverage) : [];
  const judge = { ...after, texts: read.texts, now: new Date() };
  if (!change) {
    const judged = judgedIssues([...whole.issues, ...notCovered], judge);
    return { report: { ...whole, ...judged }, clusters };
  }
  const old = await manifestsBefore(filename, change, before);
  const { report: was } = await checkAll(old, options);
  const base = { ...before, texts: old.texts };
  const judged = judgedIssues([...whole.issues, ...notCovered], { ...judge, base });
  const known = [
    ...withSeverities(was.issues, before.settings),
    ...judgedIssues([], { ...judge, ...base }).issues,
  ];
  const issues = issuesOnlyIn(judged.issues, known);
  const folded = judged.issues.filter((issue) => !issues.includes(issue));
  return { report: { ...whole, ...judged, issues, folded }, clusters };
}

/**
 * Runs `hubrelay validate`: reports every issue of the objects and of their references to each other, including updates
 * that API servers refuse. Returns the exit code. Throws `UsageError` when there is nothing to check.
 */
export async function validate(options: ValidateOptions): Promise<number> {
  const { filename, output, issues: format, allowEmpty = false, quiet = false } = options;
  // Standard input is empty the second time, so every object would seem new.
  if (filename?.includes("-") && options.against === "-")
    throw new UsageError("only one of -f and --against can be standard input");
  if (output !== "text" && format !== undefined)
    throw new UsageError(
      `--issues is the format of -o text; with -o ${output} no issue is on standard error`,
    );
  const change = await changeOf(options);
  const repositories = await repositoriesSince(change);
  const read = await manifestsOrHub(filename, hubKinds, nodeConfigKinds, repositories.after);
  const { report, clusters } = await findIssues(read, change, repositories, options);
  const summary = summaryOf(report);
  if (summary.objects === 0 && summary.errors === 0 && !allowEmpty)
    throw new UsageError(nothingToCheck(read, filename));
  if (!quiet) reportClusters(clusters, format ?? "text");
  const note = changeNote({ ...repositories, ...report });
  if (note !== "" && output !== "json") printMessage(safe`${note}`);
  printReport({ ...report, ...(note === "" ? {} : { note }) }, { output, issues: format ?? "text", quiet });
  return exitCodeFor(summary, options.failOn ?? repositories.after.settings.failOn);
}
