import { readHostedClusters } from "#shared/domain/hosted-clusters/given-clusters.ts";
import {
  type HostedOptions,
  reportHostedClusters,
} from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { coverageIssues } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isSelected } from "../../io/is-selected.ts";
import { printResult, type Result, type ResultOptions } from "../../io/print-result.ts";
import {
  coverageText,
  listedBySide,
  type OfSide,
  ofSide,
  reportClusters,
} from "../../io/report/side-lists.ts";
import { type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import type { SelectionOptions } from "../../program/object-selection.ts";
import { type CheckOptions, readCatalogs, readReleases, withRegistry } from "./hosted-check.ts";
import { chosenClusters, type HostedInput, isClusterNamed, readHostedSides } from "./hosted-input.ts";
import { hostedText, type ShownCluster } from "./hosted-text.ts";

export type HostedCommandOptions = Readonly<{
  releaseVersion?: string;
  toRelease?: string;
  output: "table" | StructuredFormat;
  requireCoverage?: true;
}> &
  CheckOptions &
  ResultOptions &
  SelectionOptions;

function selected(objects: readonly KubernetesObject[], options: SelectionOptions) {
  return objects.filter(
    (object) => !isOfAnyVersion(kinds.HostedCluster, object) || isSelected(object, options),
  );
}

const covered = (clusters: readonly ShownCluster[]) =>
  safe`${hostedText(clusters)}${clusters[0] ? coverageText(clusters[0].coverage) : ""}`;

function shown(
  clusters: readonly (ShownCluster & OfSide)[],
  output: HostedCommandOptions["output"],
): SafeText {
  return rendered(clusters, output, (clean) => listedBySide(clean, covered));
}

/** Runs `hubrelay hosted`: prints the images and mirrors of HostedClusters. Returns the exit code. */
export async function hosted(name: string | undefined, options: HostedCommandOptions): Promise<number> {
  return printResult(() => findHosted(name, options), options);
}

async function findHosted(name: string | undefined, options: HostedCommandOptions): Promise<Result> {
  const sides = await readHostedSides(options.filename);
  const has = ({ objects }: HostedInput) =>
    readHostedClusters(objects).some(({ cluster }) => isClusterNamed(cluster, name));
  const named = name === undefined ? sides : sides.filter(has);
  const found: FoundClusters[] = [];
  for (const side of named.length > 0 ? named : sides) found.push(await findOfSide(name, side, options));
  reportClusters(sides);
  const clusters = found.flatMap((one) => one.clusters);
  return { text: shown(clusters, options.output), issues: found.flatMap(({ issues }) => issues) };
}

type FoundClusters = Readonly<{ clusters: readonly (ShownCluster & OfSide)[]; issues: readonly Issue[] }>;

async function findOfSide(
  name: string | undefined,
  side: HostedInput,
  options: HostedCommandOptions,
): Promise<FoundClusters> {
  const { releaseVersion, toRelease } = options;
  const { objects: given, issues, place, coverage } = side;
  const objects = selected(given, options);
  const known = { releaseVersion, toRelease };
  const choose = (chosen: HostedOptions) =>
    chosenClusters(readHostedClusters(objects, chosen), name, ({ cluster }) => cluster);
  const asked = choose(known);
  const checked = await withRegistry(options, objects, async (registry): Promise<HostedOptions> => {
    if (!registry) return known;
    const releases = await readReleases(registry, asked, objects);
    const catalogs = await readCatalogs(registry, choose({ ...known, releases }), objects);
    return { ...known, releases, catalogs };
  });
  const reports = reportHostedClusters(objects, checked);
  const all = reports.clusters.map((cluster): ShownCluster => ({ ...cluster, coverage }));
  const clusters = chosenClusters(all, name, (cluster) => cluster);
  const found = name === undefined ? reports.issues : clusters.flatMap((cluster) => cluster.issues);
  const notCovered = options.requireCoverage ? coverageIssues(coverage) : [];
  return { clusters: ofSide(side, clusters), issues: [...place([...issues, ...found]), ...notCovered] };
}
