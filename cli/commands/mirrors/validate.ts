import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { issuesOnlyIn } from "#shared/domain/issues/caused-issues.ts";
import { coverageIssues, type Unread } from "#shared/domain/issues/coverage.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { excludedFiles } from "../../io/excluded-files.ts";
import { beforeChange } from "../../io/git/base-checkout.ts";
import { type ManifestsOrHub, manifestsOrHub } from "../../io/manifest-source.ts";
import { nothingToCheck } from "../../io/nothing-to-check.ts";
import { printReport, type ReportFormat } from "../../io/report/print-report.ts";
import { reportClusters } from "../../io/report/side-lists.ts";
import { summaryOf } from "../../io/report/validation-report.ts";
import { exitCodeFor } from "../../io/repository/exit-code-for.ts";
import { type JudgedIssues, judgedIssues, withSeverities } from "../../io/repository/judged-issues.ts";
import {
  type ChangedRepository,
  changedRepository,
  changeNote,
  repositoryOf,
} from "../../io/repository/repository.ts";
import { printMessage, safe } from "../../io/safe-text.ts";
import { UsageError } from "../../program/exit-codes.ts";
import type { FailCondition } from "../../program/fail-on.ts";
import { renderedBy, renderedFolder } from "../../program/rendered-argument.ts";
import type { CheckOptions } from "../hosted/hosted-cluster-check.ts";
import { type Checked, checkAll, hubKinds } from "./check-clusters.ts";
import { nodeConfigKinds, type ReleaseOptions } from "./mirror-input.ts";

export type ValidateOptions = CheckOptions &
  ReleaseOptions &
  Readonly<{
    /** Paths of `-f`; absent for the live hub. */
    filename?: readonly string[];
    output: ReportFormat;
    /** A branch, tag or commit. Only issues that a change since this commit causes are reported. */
    changedSince?: string;
    allowEmpty?: boolean;
    requireCoverage?: true;
    /** True to print only errors. */
    quiet?: boolean;
    failOn?: readonly FailCondition[];
  }>;

/** The state before a change. Without `--changed-since`, `old` is absent, and both `repositories` are the same. */
type Base = Readonly<{
  repositories: ChangedRepository;
  old?: ManifestsOrHub;
  excluded: readonly Unread[];
}>;

/** Makes the argument of `-f` relative, so that it is also valid in a copy of the repository. */
function fromHere(argument: string): string {
  const given = renderedFolder(argument);
  const moved = (path: string) => (isAbsolute(path) ? relative("", path) || "." : path);
  return given ? renderedBy({ ...given, folder: moved(given.folder) }) : moved(argument);
}

async function baseOf(paths: readonly string[] | undefined, ref: string | undefined): Promise<Base> {
  const own = await repositoryOf();
  if (ref === undefined) return { repositories: { before: own, after: own, effects: [] }, excluded: [] };
  if (!paths || paths.includes("-"))
    throw new UsageError(
      "--changed-since compares files in git: name files or folders with -f, -k or --helm. Instead of piping what kustomize or Helm prints, name its folder.",
    );
  const here = process.cwd();
  return beforeChange(ref, async (root) => {
    const repositories = await changedRepository(own, root);
    const folderOf = (path: string) => renderedFolder(path)?.folder ?? path;
    const there = paths.filter((path) => existsSync(folderOf(path)));
    const old = await manifestsOrHub(there, hubKinds, nodeConfigKinds, repositories.before);
    const excluded: Unread[] = [];
    // Rendered folders are read even if settings exclude their files.
    for (const path of paths.filter((one) => !renderedFolder(one)))
      excluded.push(...(await excludedFiles(path, join(here, path), repositories.after)));
    return { repositories, old, excluded: withoutRepeats(excluded) };
  });
}

type Found = Checked & Readonly<{ report: Pick<JudgedIssues, "added"> }>;

/** With objects `old` from before a change, `issues` has only the issues that the change causes. */
async function findIssues(
  read: ManifestsOrHub,
  { repositories: { before, after }, old, excluded }: Base,
  options: ValidateOptions,
): Promise<Found> {
  const { report: whole, clusters } = await checkAll(
    { ...read, unread: [...read.unread, ...excluded] },
    options,
  );
  const notCovered = options.requireCoverage ? coverageIssues(whole.coverage) : [];
  const judge = { ...after, texts: read.texts, now: new Date() };
  if (!old) {
    const judged = judgedIssues([...whole.issues, ...notCovered], judge);
    return { report: { ...whole, ...judged }, clusters };
  }
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

/** Runs `hubrelay validate`: reports all issues of the objects. Returns the exit code. */
export async function validate(options: ValidateOptions): Promise<number> {
  const { output, allowEmpty = false, quiet = false, changedSince } = options;
  const filename = changedSince === undefined ? options.filename : options.filename?.map(fromHere);
  // Standard input can be read only once, so every object would seem new.
  if (filename?.includes("-") && options.against === "-")
    throw new UsageError("only one of -f and --against can be standard input");
  const base = await baseOf(filename, changedSince);
  const { repositories } = base;
  const read = await manifestsOrHub(filename, hubKinds, nodeConfigKinds, repositories.after);
  const { report, clusters } = await findIssues(read, base, options);
  const summary = summaryOf(report);
  if (summary.objects === 0 && summary.errors === 0 && !allowEmpty)
    throw new UsageError(nothingToCheck(read, filename));
  if (!quiet) reportClusters(clusters);
  const note = changeNote({ ...repositories, ...report });
  if (note !== "" && output !== "json") printMessage(safe`${note}`);
  printReport({ ...report, ...(note === "" ? {} : { note }) }, { output, quiet });
  return exitCodeFor(summary, options.failOn ?? repositories.after.settings.failOn);
}
