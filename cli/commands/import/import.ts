import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { inputKinds } from "#functions/mirror-config/watches.ts";
import { type CostReport, compareSides } from "#shared/domain/diff/compare-sides.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/json/same-json.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { afterImport, compareWithHub } from "#shared/domain/oc-mirror/compare.ts";
import { importTraps } from "#shared/domain/oc-mirror/traps.ts";
import { waveOf, waves, withSyncWave } from "#shared/domain/oc-mirror/waves.ts";
import { signatureNamespace } from "#shared/domain/ready/release-signatures.ts";
import { chosenSide, withoutHolders } from "../../io/clusters/cluster-sides.ts";
import { printIssues } from "../../io/issue-text.ts";
import { onLiveHub, readLiveHub } from "../../io/live-hub.ts";
import { type PlaceIssues, readSources, withoutPlaces } from "../../io/manifest-source.ts";
import { print, safe, verbatim } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { ensureDirectory, writeWhole } from "../../io/write-files.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { renderSide } from "../mirrors/render-side.ts";
import { reportOf } from "./import-report.ts";
import { importTable } from "./import-text.ts";

export type ImportOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  dir?: string;
  manifests?: true;
  syncWaves?: true;
  output: "table" | StructuredFormat;
  issues: "text" | "json";
  /** Absent: now. */
  now?: Date;
}>;

type Given = Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[]; place: PlaceIssues }>;

/** The folder of one run of oc-mirror v1, named by its time in seconds. */
const resultsFolder = /^results-(\d+)$/;

/** Returns the folder of the newest run of oc-mirror v1 in a folder. */
async function newestResultsIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => []);
  const timeOf = (name: string) => Number(resultsFolder.exec(name)?.[1]);
  const [newest] = names.filter((name) => resultsFolder.test(name)).sort((a, b) => timeOf(b) - timeOf(a));
  return newest === undefined ? [] : [join(directory, newest)];
}

/** Finds the folder of cluster resources in a workspace of oc-mirror v2 or v1, or takes the folder itself. */
async function resourcesIn(directory: string): Promise<string> {
  const candidates = [
    ...["working-dir/cluster-resources", "cluster-resources"].map((path) => join(directory, path)),
    ...(await newestResultsIn(join(directory, "oc-mirror-workspace"))),
    ...(await newestResultsIn(directory)),
    directory,
  ];
  for (const path of candidates) if ((await stat(path).catch(() => undefined))?.isDirectory()) return path;
  throw new UsageError(`${directory} is not a directory.`);
}

const catalogKinds = [kinds.CatalogSource, kinds.ClusterCatalog, kinds.UpdateService];

const readKinds = [...inputKinds, ...catalogKinds];

async function readMade(directory: string): Promise<Given> {
  const path = await resourcesIn(directory);
  const read = await readSources([path]);
  const side = chosenSide(read, readKinds);
  const objects = withoutHolders(side, read);
  if (objects.length === 0 && side.issues.length === 0)
    throw new UsageError(`${path} has no manifests: oc-mirror writes them when it has mirrored something.`);
  return { ...side, objects };
}

async function readHub(filename: readonly string[] | undefined): Promise<Given> {
  if (filename) return chosenSide(await readSources(filename), readKinds);
  const [{ objects }, signatures] = await Promise.all([
    readLiveHub([...inputKinds, ...catalogKinds], [kinds.MachineConfig]),
    onLiveHub((hub) => hub.list(kinds.ConfigMap, { namespace: signatureNamespace })),
  ]);
  return { objects: [...objects, ...signatures], issues: [], place: withoutPlaces };
}

function notOfOcMirror(object: KubernetesObject): Issue {
  return fieldIssue(object, "kind", object.kind, {
    code: "NotOfOcMirror",
    severity: "warning",
    message: "oc-mirror does not write objects of this kind, so that the order has no place for it",
    remedy: "Apply it on its own, or remove the file.",
  });
}

/** Returns the cost of applying the objects, and the issues that they bring; no cost if nothing can be rendered. */
async function costOf(
  made: readonly KubernetesObject[],
  hub: readonly KubernetesObject[],
  now: Date,
): Promise<Readonly<{ cost: CostReport | undefined; issues: readonly Issue[] }>> {
  const sideOf = (objects: readonly KubernetesObject[], previous: readonly NodeFile[] = []) =>
    renderSide({ objects, issues: [], place: withoutPlaces }, { release: {}, previous });
  const before = await sideOf(hub);
  const after = await sideOf(afterImport(made, hub), before.side?.filesOf("worker"));
  const known = new Set(before.issues.map((issue) => JSON.stringify(issue)));
  const issues = after.issues.filter((issue) => !known.has(JSON.stringify(issue)));
  if (!before.side || !after.side) return { cost: undefined, issues: before.side ? issues : after.issues };
  const { report, issues: ofCost } = compareSides(before.side, after.side, now);
  return { cost: report, issues: [...issues, ...ofCost] };
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

/**
 * Runs `hubrelay import`: prints what oc-mirror wrote, compared with the hub, or its objects in the order in which they are
 * applied; issues go to standard error. Returns the exit code.
 */
export async function importMirrors(directory: string, options: ImportOptions): Promise<number> {
  const { filename, dir, manifests, syncWaves, output, issues: format, now = new Date() } = options;
  const made = await readMade(directory);
  const hub = await readHub(filename);
  const known = made.objects.filter((object) => waveOf(object) !== undefined);
  const others = made.objects.filter((object) => waveOf(object) === undefined);
  const compared = compareWithHub(known, hub.objects);
  const applied = compared.filter(({ change }) => change !== "stale").map(({ object }) => object);
  const { cost, issues } = await costOf(applied, hub.objects, now);
  const found = [...made.issues, ...others.map(notOfOcMirror), ...issues, ...importTraps(compared)];
  const placed = hub.place(made.place(withoutRepeats([...found, ...hub.issues])));
  const exitCode = printIssues(placed, format);
  if (!cost) return exitCodes.issues;
  const objects = syncWaves ? applied.map(withSyncWave) : applied;
  if (dir !== undefined) await writeWaves(objects, dir);
  else if (manifests) print(verbatim(objects.map(writeManifest).join("---\n")));
  else print(rendered({ ...reportOf(compared, cost), issues: placed }, output, importTable));
  return exitCode;
}
