import { join } from "node:path";
import { writerOf } from "#functions/mirror-config/ownership.ts";
import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { issuesOnlyIn } from "#shared/domain/diff/diff-report.ts";
import { reportHostedClusters } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { requestIssues } from "#shared/domain/hosted-clusters/ownership.ts";
import { unknownHostedFields } from "#shared/domain/hosted-clusters/validation/refusals.ts";
import { unknownAnnotations } from "#shared/domain/issues/annotations.ts";
import {
  type Assumption,
  countedKinds,
  coverageIssues,
  coverageOf,
  type Unread,
  unreadKinds,
  unreadOfIssues,
} from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { sizeIssues } from "#shared/domain/issues/object-size.ts";
import { refusingUnknown } from "#shared/domain/issues/unknown-fields.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  isKind,
  isOfAnyVersion,
  isOneOf,
  type Kind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import type { DamagedObject } from "#shared/domain/manifests/located-object.ts";
import { assumedPayload, clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import {
  configureMirrors,
  type MirrorInput,
  mirrorInputOf,
  shownConfiguration,
} from "#shared/domain/mirrors/configuration.ts";
import { configurePools } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { trustedCaIssues } from "#shared/domain/mirrors/input/trusted-ca.ts";
import { conflictsOnce } from "#shared/domain/mirrors/input/validate-rules.ts";
import { ignitionRefusals } from "#shared/domain/openshift/machine-config/ignition-refusals.ts";
import { writesPullFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { clusterDeclarations } from "#shared/domain/precache-plan/selection/declared-clusters.ts";
import {
  checkPrecaching,
  precacheKinds,
  precacheReferences,
} from "#shared/domain/precache-plan/validate-precaching.ts";
import { windowIssues, windowKinds } from "#shared/domain/windows/validate-windows.ts";
import { type ChangeSince, changeSince } from "../../io/git/changed-since.ts";
import {
  type ManifestsOrHub,
  manifestsBefore,
  manifestsOrHub,
  type PlacedSide,
} from "../../io/manifest-source.ts";
import { nothingToCheck } from "../../io/nothing-to-check.ts";
import { eachWithProgress } from "../../io/progress-bar.ts";
import { printReport, type ReportFormat } from "../../io/report/print-report.ts";
import { reportClusters } from "../../io/report/side-lists.ts";
import { summaryOf, type ValidationReport } from "../../io/report/validation-report.ts";
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
import { type CheckOptions, type ObjectChecks, objectChecks } from "../hosted/hosted-cluster-check.ts";
import { mirrorInputKinds, nodeConfigKinds } from "./mirror-input.ts";
import { type ReleaseOptions, releaseInput, withRelease } from "./release-input.ts";

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

/** The kinds that are checked, in any version of their APIs: another version is an issue. */
const checkedKinds: readonly Kind[] = [
  ...mirrorInputKinds,
  kinds.HostedCluster,
  kinds.NodePool,
  ...windowKinds,
  ...precacheKinds,
  ...precacheReferences,
  ...clusterDeclarations,
];
/** A hub has many copies of policies, which `precache plan` reads by name, and ManagedClusters of what declares them. */
const hubKinds = [...new Set(checkedKinds)].filter(
  (kind) => kind !== kinds.Policy && !clusterDeclarations.some((one) => one === kind),
);

const groupAndKind = ({ apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">): string =>
  `${apiVersion.split("/")[0]}/${kind}`;
const checkedNames = new Set(checkedKinds.map(groupAndKind));

/** What HyperShift does not read of rules that nevertheless hold for the nodes of the management cluster. */
const unreadByHypershift: readonly string[] = ["IgnoredKind", "IgnoredPolicy"];

/** Returns issues of HostedClusters that only show together with mirrors and other clusters. */
function hostedIssues(objects: readonly KubernetesObject[], known: readonly Issue[]): readonly Issue[] {
  const hostedClusters = objects.filter((object) => isOfAnyVersion(kinds.HostedCluster, object));
  if (hostedClusters.length === 0) return [];
  const { clusters, issues: shared } = reportHostedClusters(objects);
  const issues = [...hostedClusters.flatMap(requestIssues), ...shared];
  const fieldOf = ({ object, path }: Issue) => [displayName(object), path].join(" ");
  // What is wrong with a field on its own is reported already, in the words of the API server.
  const knownFields = new Set(known.map(fieldOf));
  return [...issues, ...clusters.flatMap((cluster) => cluster.issues)].filter(
    (issue) => !knownFields.has(fieldOf(issue)) && !unreadByHypershift.includes(issue.code),
  );
}

/** Reports whether nothing but its name keeps an object from being read, so that the rest of it can be checked. */
const isMisnamed = ({ issues }: DamagedObject): boolean => issues.every(({ code }) => code === "InvalidName");

type JudgedSide = Pick<PlacedSide, "objects" | "damaged" | "issues" | "origin" | "named">;

type Judged = Readonly<{
  issues: readonly Issue[];
  unread: readonly Unread[];
  assumed: readonly Assumption[];
}>;

type Found = Checked & Readonly<{ report: Pick<JudgedIssues, "added"> }>;

type Checked = Readonly<{ report: ValidationReport; clusters: readonly Readonly<{ name: string }>[] }>;

/** Kinds from which files of nodes follow, so that what else decides these is assumed where it is not given. */
const configuresNodes = isOneOf([...mirrorKinds, kinds.Image]);

/** Returns what is assumed about the nodes of one cluster; a hosted cluster has its release elsewhere. */
function assumptionsOf(
  input: MirrorInput,
  origin: PlacedSide["origin"],
  isWhole: boolean,
): readonly Assumption[] {
  if (origin === "guest" || !input.objects.some(configuresNodes)) return [];
  return clusterAssumptions(input, { isWhole, pools: "pools master and worker" });
}

/** Returns every issue of the objects of one cluster, and what is assumed about it. */
async function judgedSide(
  { objects: valid, damaged, issues, origin, named }: JudgedSide,
  { files }: Pick<ManifestsOrHub, "files">,
  checks: ObjectChecks,
  options: ValidateOptions,
): Promise<Judged> {
  const isWhole = files === undefined;
  const objects = [...valid, ...damaged.filter(isMisnamed).map(({ object }) => object)];
  const input = mirrorInputOf(objects);
  const release = withRelease(options, named?.release);
  const ofRelease = { ...input, ...(await releaseInput(release, input)) };
  const configuration = shownConfiguration(configureMirrors(ofRelease, { writer: writerOf(objects) }));
  const mirrors = [
    ...configuration.issues,
    ...configurePools(ofRelease, configuration).issues,
    ...assumedPayload(ofRelease),
    ...trustedCaIssues(objects, input.image),
  ];
  const refusals = checks.issuesOf(valid);
  const windows = windowIssues(objects, new Date(), { isWhole });
  const precaching = checkPrecaching(objects, { isWhole });
  const found = [...issues, ...mirrors, ...windows, ...precaching.issues, ...refusals];
  const hosted = hostedIssues(objects, found);
  const unknown = objects.flatMap(unknownAnnotations);
  // An API server has the fields of what it stores.
  const ofFiles = isWhole ? [] : objects.flatMap((one) => [...sizeIssues(one), ...unknownHostedFields(one)]);
  const all = withoutRepeats([...found, ...hosted, ...unknown, ...ofFiles]);
  return {
    issues: refusingUnknown(all),
    unread: precaching.unread,
    assumed: assumptionsOf(ofRelease, origin, isWhole),
  };
}

/** What is not known of an object by itself: another one may be there. */
const ofReferences: readonly string[] = ["PreCachingConfigMissing", "WindowMissing"];

/** Returns what is found in a side, at its places: in its objects together, and in each of the others by itself. */
async function judgedParts(
  side: PlacedSide,
  read: ManifestsOrHub,
  checks: ObjectChecks,
  options: ValidateOptions,
): Promise<Judged> {
  const together = await judgedSide(side, read, checks, options);
  const issues = [...side.place(together.issues)];
  const assumed = [...together.assumed];
  for (const { object, place } of side.alone) {
    const one = { ...side, objects: [object], damaged: [], issues: [] };
    const judged = await judgedSide(one, read, checks, options);
    issues.push(...place(judged.issues.filter(({ code }) => !ofReferences.includes(code))));
    assumed.push(...judged.assumed);
  }
  return { issues, unread: together.unread, assumed };
}

/** The kinds whose different definitions mean several clusters. */
export const clusterKinds = [...new Set([...checkedKinds, ...nodeConfigKinds])];

async function checkAll(read: ManifestsOrHub, options: ValidateOptions): Promise<Checked> {
  const sides = read.sides(clusterKinds);
  const located = [...new Set(sides.flatMap((side) => side.located))];
  const checks = await objectChecks(
    located.map(({ object }) => object),
    options,
  );
  const found: Issue[] = [...read.issues];
  const assumed: Assumption[] = [];
  const notPlanned: Unread[] = [];
  for (const side of eachWithProgress("clusters checked", sides)) {
    const judged = await judgedParts(side, read, checks, options);
    found.push(...judged.issues);
    assumed.push(...judged.assumed);
    notPlanned.push(...judged.unread);
  }
  const isChecked = (object: KubernetesObject) =>
    checkedNames.has(groupAndKind(object)) ||
    (isKind(kinds.MachineConfig, object) && (writesPullFiles(object) || ignitionRefusals(object).length > 0));
  const checked = [...located.filter(({ object }) => isChecked(object)), ...read.damaged];
  const others = located.filter(({ object }) => !isChecked(object));
  // What decides where nodes pull from is read of these, too.
  const holders = new Set(read.embedded.map(({ within }) => within && displayName(within)));
  const unread = others.filter(
    ({ object }) => !isKind(kinds.MachineConfig, object) && !holders.has(displayName(referenceTo(object))),
  );
  const embedded = new Set<unknown>(read.embedded);
  const issues = conflictsOnce(withoutRepeats(read.place(found)));
  const report = {
    issues,
    accepted: [],
    checked,
    files: read.files,
    ignored: read.ignored + others.filter((one) => !embedded.has(one)).length,
    coverage: coverageOf({
      read: countedKinds(checked.map(({ object }) => object)),
      unread: [
        ...read.unread,
        ...checks.unread,
        ...notPlanned,
        ...unreadKinds(unread.map(({ object }) => object)),
        ...unreadOfIssues(issues),
      ],
      assumed,
      enforced: read.enforced,
    }),
  };
  const named = new Set(sides.flatMap((side) => side.named?.name ?? []));
  return { report, clusters: [...named].map((name) => ({ name })) };
}

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

/** Returns what a check found, of which only what the change since a commit causes counts. */
async function findIssues(
  read: ManifestsOrHub,
  change: ChangeSince | undefined,
  { before, after }: ChangedRepository,
  options: ValidateOptions,
): Promise<Found> {
  const { filename = [], requireCoverage } = options;
  const { report: whole, clusters } = await checkAll(read, options);
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
