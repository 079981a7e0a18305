import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { inputKinds } from "#functions/mirror-config/watches.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { type CostReport, compareSides } from "#shared/domain/diff/compare-sides.ts";
import { diffAssumptions } from "#shared/domain/diff/diff-report.ts";
import { drainOverride } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { formatImageReference } from "#shared/domain/images/image-reference.ts";
import { isWildcard } from "#shared/domain/images/scope.ts";
import {
  type Assumption,
  coverageIssues,
  inputCoverage,
  type Unread,
} from "#shared/domain/issues/coverage.ts";
import { fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { readMirrorObjects } from "#shared/domain/mirrors/input/read-mirror-sets.ts";
import { signatureNamespace } from "#shared/domain/ready/release-signatures.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { type PlaceIssues, withoutPlaces } from "../../io/hub-manifests.ts";
import { printIssues } from "../../io/issue-text.ts";
import { onLiveHub, readLiveHub } from "../../io/live-hub.ts";
import { placesOnHub, readSources } from "../../io/manifest-source.ts";
import { nodeAccess } from "../../io/node-access.ts";
import { coverageText, withCoverage } from "../../io/report/side-lists.ts";
import { type Repository, repositoryOf } from "../../io/repository/repository.ts";
import { print, printMessage, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { decisiveKinds } from "../mirrors/diff-side.ts";
import { renderSide } from "../mirrors/render-side.ts";
import { nodeRules } from "../ready/node-rules.ts";
import { printPolicies, readTrusted, type TrustOptions } from "../ready/print-policies.ts";
import { afterImport, compareWithHub } from "./compare.ts";
import { importTable, reportOf } from "./import-text.ts";
import { importTraps, unsignedReleases } from "./import-warnings.ts";
import { mirroredImages } from "./mirrored-images.ts";
import { waveOf, waves } from "./waves.ts";

export type ImportOptions = TrustOptions &
  Readonly<{
    /** Paths of the hub's manifests; absent for the live hub. */
    filename?: readonly string[];
    dir?: string;
    output: "table" | StructuredFormat;
    requireCoverage?: true;
    policies?: true;
    pullSecret?: string;
    /** The time for which the cost is computed; absent for the current time. */
    now?: Date;
  }>;

type Given = Readonly<{
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
  place: PlaceIssues;
  unread: readonly Unread[];
}>;

/** Matches the folder of a run of oc-mirror v1. The number is the time of the run in seconds. */
const resultsFolder = /^results-(\d+)$/;

type Resources = Readonly<{ path: string; older: readonly string[] }>;

/** Returns the newest run of oc-mirror v1, with earlier runs in `older`; empty without such a run. */
async function newestResultsIn(directory: string): Promise<readonly Resources[]> {
  const names = await readdir(directory).catch(() => []);
  const timeOf = (name: string) => Number(resultsFolder.exec(name)?.[1]);
  const results = names.filter((name) => resultsFolder.test(name)).sort((a, b) => timeOf(b) - timeOf(a));
  const [newest, ...older] = results.map((name) => join(directory, name));
  return newest === undefined ? [] : [{ path: newest, older }];
}

async function resourcesIn(directory: string): Promise<Resources> {
  const alone = (path: string): Resources => ({ path, older: [] });
  const candidates = [
    ...["working-dir/cluster-resources", "cluster-resources"].map((path) => alone(join(directory, path))),
    ...(await newestResultsIn(join(directory, "oc-mirror-workspace"))),
    ...(await newestResultsIn(directory)),
    alone(directory),
  ];
  for (const found of candidates)
    if ((await stat(found.path).catch(() => undefined))?.isDirectory()) return found;
  throw new UsageError(`${directory} is not a directory.`);
}

/** Returns the path of the list of images that oc-mirror writes in a dry run. */
async function mappingIn(folders: readonly string[]): Promise<string | undefined> {
  for (const file of folders.map((folder) => join(folder, "mapping.txt")))
    if (await stat(file).catch(() => undefined)) return file;
  return undefined;
}

/** A real run of oc-mirror v2 does not delete the manifests of a dry run (internal/pkg/cli/dryrun.go). */
const besideDryRun = (file: string): Issue =>
  fieldWarning({ kind: "File", name: file }, "", undefined, {
    code: "DryRunOfOcMirror",
    message: sentence`${file} is of a dry run of oc-mirror, which writes manifests for images that it does not mirror`,
    remedy: "Run oc-mirror without --dry-run, and delete the folder dry-run.",
  });

export const catalogKinds = [kinds.CatalogSource, kinds.ClusterCatalog, kinds.UpdateService];

const costKinds = decisiveKinds.filter((kind) => !inputKinds.includes(kind));

const readKinds = [...decisiveKinds, ...catalogKinds];

async function readMade(directory: string, nameOf: Repository["nameOf"]): Promise<Given> {
  const { path, older } = await resourcesIn(directory);
  const read = await readSources([path]);
  const side = chosenSide(read, readKinds);
  const ofRuns = [join(path, ".."), join(directory, "working-dir"), directory];
  const dryRun = await mappingIn(ofRuns.map((folder) => join(folder, "dry-run")));
  if (side.objects.length === 0 && side.issues.length === 0)
    throw new UsageError(
      (dryRun ?? (await mappingIn([join(directory, "oc-mirror-workspace"), directory])))
        ? `${directory} is of a dry run of oc-mirror, which mirrors nothing: run it without --dry-run.`
        : `${path} has no manifests: oc-mirror writes them when it has mirrored something.`,
    );
  const unread = older.map((folder) => ({ what: nameOf(folder), why: "older-run", count: 1 }) as const);
  return {
    ...side,
    issues: [...side.issues, ...(dryRun ? [besideDryRun(dryRun)] : [])],
    unread: [...side.unread, ...unread],
  };
}

async function readHub(filename: readonly string[] | undefined): Promise<Given> {
  if (filename) return chosenSide(await readSources(filename), readKinds);
  const [{ objects, unread }, signatures] = await Promise.all([
    readLiveHub([...inputKinds, ...catalogKinds], costKinds, drainOverride),
    onLiveHub((hub) => hub.list(kinds.ConfigMap, { namespace: signatureNamespace })),
  ]);
  return { objects: [...objects, ...signatures], issues: [], place: await placesOnHub(), unread };
}

function notOfOcMirror(object: KubernetesObject): Issue {
  return fieldWarning(object, "kind", object.kind, {
    code: "NotOfOcMirror",
    message: "oc-mirror does not write objects of this kind, so that the order has no place for it",
    remedy: "Apply it on its own, or remove the file.",
  });
}

/** `cost` is undefined if the nodes' files cannot be rendered before or after the change. */
type Applied = Readonly<{
  cost: CostReport | undefined;
  /** Issues that applying the objects causes. */
  issues: readonly Issue[];
  /** Issues that the hub has before the objects are applied. */
  ofHub: readonly Issue[];
  assumed: readonly Assumption[];
}>;

function costOf(
  made: readonly KubernetesObject[],
  hub: readonly KubernetesObject[],
  { now, isWhole }: Readonly<{ now: Date; isWhole: boolean }>,
): Applied {
  const sideOf = (objects: readonly KubernetesObject[]) =>
    renderSide({ objects, issues: [], place: withoutPlaces }, {});
  const before = sideOf(hub);
  const after = sideOf(afterImport(made, hub));
  const known = new Set(before.issues.map((issue) => JSON.stringify(issue)));
  const issues = after.issues.filter((issue) => !known.has(JSON.stringify(issue)));
  const ofHub = before.issues;
  if (!before.side || !after.side)
    return { cost: undefined, issues: before.side ? issues : after.issues, ofHub, assumed: [] };
  const { report, issues: ofCost } = compareSides(before.side, after.side, now);
  const assumed = diffAssumptions(
    report,
    { name: "the hub", side: before.side, issues: ofHub, isWhole },
    { name: "the hub with these objects", side: after.side, issues: after.issues, isWhole: true },
    { isWhole },
  );
  return { cost: report, issues: [...issues, ...ofCost], ofHub, assumed };
}

async function writeWaves(objects: readonly KubernetesObject[], dir: string): Promise<void> {
  await ensureDirectory(dir);
  for (const [index, { name }] of waves.entries()) {
    const own = objects.filter((object) => waveOf(object) === index);
    if (own.length === 0) continue;
    const path = await writeWhole(dir, `${index + 1}-${name}.yaml`, own.map(writeManifest).join("---\n"));
    print(safe`${path}\n`);
  }
}

async function printMirroredPolicies(
  made: Given,
  hub: Given,
  { filename, pullSecret, ...trust }: ImportOptions,
): Promise<number> {
  const trusted = await readTrusted(trust);
  const accessOf = (reader: HubReader) => nodeAccess(reader, undefined, pullSecret);
  const { access, issues } = await (filename
    ? accessOf(manifestHub("manifests", hub.objects))
    : onLiveHub(accessOf));
  const nodes = nodeRules(hub.objects, {});
  const refusal = "refusal" in nodes ? nodes.refusal : [];
  const exitCode = printIssues([
    ...made.place(made.issues),
    ...issues,
    ...hub.place([...hub.issues, ...refusal]),
  ]);
  if ("refusal" in nodes) return exitCode;
  const { rules } = readMirrorObjects(made.objects);
  for (const { source } of rules.filter((rule) => isWildcard(rule.source)))
    printMessage(safe`no policy for ${source}: its repositories are unknown`);
  const named = rules.filter(({ source }) => !isWildcard(source));
  const open = (await mirroredImages(named, access)).filter(({ image }) =>
    nodes.groups.every(({ routeOf }) => {
      const route = routeOf(formatImageReference(image));
      return "problem" in route || !route.locations.some(({ signing }) => signing);
    }),
  );
  printPolicies(open, hub.objects, trusted);
  return exitCode;
}

/** Runs `hubrelay import`: compares oc-mirror's objects with the hub. Returns the exit code. */
export async function importMirrors(directory: string, options: ImportOptions): Promise<number> {
  const { filename, dir, output, requireCoverage, now = new Date() } = options;
  const { nameOf } = await repositoryOf();
  const made = await readMade(directory, nameOf);
  const hub = await readHub(filename);
  if (options.policies) return printMirroredPolicies(made, hub, options);
  const known = made.objects.filter((object) => waveOf(object) !== undefined);
  const others = made.objects.filter((object) => waveOf(object) === undefined);
  const compared = compareWithHub(known, hub.objects);
  const applied = compared.filter(({ change }) => change !== "stale").map(({ object }) => object);
  const isWhole = filename === undefined;
  const { cost, issues, ofHub, assumed } = costOf(applied, hub.objects, { now, isWhole });
  const traps = [...importTraps(compared), ...unsignedReleases(known, hub.objects)];
  const found = [...made.issues, ...others.map(notOfOcMirror), ...issues, ...traps];
  const placed = hub.place(made.place(withoutRepeats([...found, ...hub.issues])));
  const coverage = inputCoverage(
    {
      objects: [...known, ...hub.objects],
      unread: [...made.unread, ...hub.unread],
      issues: withoutRepeats([...placed, ...ofHub]),
      nameOf,
      assumed,
    },
    [...readKinds, kinds.ConfigMap],
  );
  const notCovered = requireCoverage ? coverageIssues(coverage) : [];
  const exitCode = printIssues([...placed, ...notCovered]);
  if (!cost) return exitCodes.issues;
  if (dir !== undefined) {
    await writeWaves(applied, dir);
    print(coverageText(coverage), process.stderr);
  } else {
    const report = { ...reportOf(compared, cost), issues: placed, coverage };
    print(rendered(report, output, withCoverage(importTable)));
  }
  return exitCode;
}
