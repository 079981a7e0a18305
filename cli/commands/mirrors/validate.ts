import { writerOf } from "#functions/mirror-config/ownership.ts";
import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { reportHostedClusters } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { requestIssues } from "#shared/domain/hosted-clusters/hub-mirrors.ts";
import { unknownHostedFields } from "#shared/domain/hosted-clusters/validation/refusals.ts";
import { unknownAnnotations } from "#shared/domain/issues/annotations.ts";
import { issuesOfChange } from "#shared/domain/issues/file-issues.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { sizeIssues } from "#shared/domain/issues/object-size.ts";
import { refusingUnknown } from "#shared/domain/issues/unknown-fields.ts";
import { withoutRepeats } from "#shared/domain/json/values.ts";
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
import { ignitionRefusals } from "#shared/domain/machine-config/ignition-refusals.ts";
import { writesPullFiles } from "#shared/domain/machine-config/pool-files.ts";
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
import {
  precacheIssues,
  precacheKinds,
  precacheReferences,
} from "#shared/domain/precache/plan/validate-precaching.ts";
import type { FailCondition } from "#shared/domain/repository/fail-on.ts";
import { judgedIssues } from "#shared/domain/repository/judged-issues.ts";
import {
  type Assumption,
  countedKinds,
  coverageIssues,
  coverageOf,
  unreadKinds,
  unreadOfIssues,
} from "#shared/domain/result-coverage/coverage.ts";
import { windowIssues, windowKinds } from "#shared/domain/windows/validate-windows.ts";
import { reportClusters, sideName } from "../../io/clusters/cluster-sides.ts";
import type { NamedCluster } from "../../io/clusters/sides.ts";
import { changeSince } from "../../io/git/changed-since.ts";
import {
  type ManifestsOrHub,
  manifestsBefore,
  manifestsOrHub,
  type PlacedSide,
} from "../../io/manifest-source.ts";
import { nothingToCheck } from "../../io/nothing-to-check.ts";
import { eachWithProgress } from "../../io/progress-bar.ts";
import { printReport, type ReportFormat } from "../../io/report/print-report.ts";
import { summaryOf, type ValidationReport } from "../../io/report/validation-report.ts";
import { exitCodeFor } from "../../io/repository/exit-code-for.ts";
import { type Repository, repositoryOf } from "../../io/repository/repository.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { renderedFolder } from "../../program/rendered-argument.ts";
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
];
/** A hub has many copies of policies, which `precache plan` reads by name. */
const hubKinds = [...new Set(checkedKinds)].filter((kind) => kind !== kinds.Policy);

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
  { objects: valid, damaged, issues, origin, named }: PlacedSide,
  { files }: Pick<ManifestsOrHub, "files">,
  checks: ObjectChecks,
  options: ValidateOptions,
): Promise<Readonly<{ issues: readonly Issue[]; assumed: readonly Assumption[] }>> {
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
  const precaching = precacheIssues(objects, { isWhole });
  const found = [...issues, ...mirrors, ...windows, ...precaching, ...refusals];
  const hosted = hostedIssues(objects, found);
  const unknown = objects.flatMap(unknownAnnotations);
  // An API server has the fields of what it stores.
  const ofFiles = isWhole ? [] : objects.flatMap((one) => [...sizeIssues(one), ...unknownHostedFields(one)]);
  const all = withoutRepeats([...found, ...hosted, ...unknown, ...ofFiles]);
  return {
    issues: refusingUnknown(all),
    assumed: assumptionsOf(ofRelease, origin, isWhole),
  };
}

/** Returns the clusters that folders or policies tell apart. */
function apart(sides: readonly PlacedSide[]): readonly Readonly<{ name: string }>[] {
  return (["files", "holders"] as const).flatMap((origin) => {
    const names = new Set(sides.filter((side) => side.origin === origin).map(({ name }) => name));
    return names.size > 1 ? [...names].map((name) => ({ name: sideName(name) })) : [];
  });
}

type Checked = Readonly<{ report: ValidationReport; sides: readonly PlacedSide[] }>;

async function checkAll(
  read: ManifestsOrHub,
  clusters: readonly NamedCluster[],
  options: ValidateOptions,
): Promise<Checked> {
  const sides = read.sides(clusters);
  const located = [...new Set(sides.flatMap((side) => side.located))];
  const checks = await objectChecks(
    located.map(({ object }) => object),
    options,
  );
  const found: Issue[] = [...read.ofFiles];
  const assumed: Assumption[] = [];
  for (const side of eachWithProgress("clusters checked", sides)) {
    const judged = await judgedSide(side, read, checks, options);
    found.push(...side.place(judged.issues));
    assumed.push(...judged.assumed);
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
  const issues = withoutRepeats(read.place(found));
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
        ...unreadKinds(unread.map(({ object }) => object)),
        ...unreadOfIssues(issues),
      ],
      assumed,
      enforced: read.enforced,
    }),
  };
  return { report, sides };
}

/** Splits issues into those that the change since a commit is about, and others; without such a commit they are all. */
async function ofChange(
  issues: readonly Issue[],
  { texts }: Pick<ManifestsOrHub, "texts">,
  { clusters, reading }: Repository,
  options: ValidateOptions,
): Promise<Pick<ValidationReport, "issues" | "folded">> {
  const { filename, changedSince } = options;
  if (changedSince === undefined) return { issues };
  if (!filename || filename.includes("-"))
    throw new UsageError(
      "--changed-since compares files in git: name files or folders with -f, -k or --helm. Instead of piping what kustomize or Helm prints, name its folder.",
    );
  const change = await changeSince(changedSince);
  const before = await manifestsBefore(filename, change, reading);
  const { report } = await checkAll(before, clusters, options);
  const textIn = (all: typeof texts, wanted: string) => all.find(({ file }) => file === wanted)?.text;
  // What is rendered is in no file of the repository.
  const isTouched = (file: string) =>
    renderedFolder(file) ? textIn(texts, file) !== textIn(before.texts, file) : change.isTouched(file);
  return issuesOfChange(issues, report.issues, isTouched);
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
  const repository = await repositoryOf();
  const { settings, pathOf, reading, clusters } = repository;
  const read = await manifestsOrHub(filename, hubKinds, nodeConfigKinds, reading);
  const { report: whole, sides } = await checkAll(read, clusters, options);
  const counted = await ofChange(whole.issues, read, repository, options);
  const notCovered = options.requireCoverage ? coverageIssues(whole.coverage) : [];
  const judge = { settings, texts: read.texts, pathOf, now: new Date() };
  const judged = judgedIssues([...counted.issues, ...notCovered], judge);
  const report = { ...whole, ...counted, ...judged };
  const summary = summaryOf(report);
  if (summary.objects === 0 && summary.errors === 0 && !allowEmpty)
    throw new UsageError(nothingToCheck(read, filename));
  if (!quiet) reportClusters(apart(sides), format ?? "text");
  printReport(report, { output, issues: format ?? "text", quiet });
  return exitCodeFor(summary, options.failOn ?? settings.failOn);
}
