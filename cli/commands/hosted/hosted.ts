import { parseRelease } from "#shared/domain/hosted-clusters/cluster/release.ts";
import { readHostedClusters } from "#shared/domain/hosted-clusters/given-clusters.ts";
import {
  type HostedOptions,
  reportHostedClusters,
} from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { type CheckOptions, readCatalogs, readReleases, withRegistry } from "./hosted-check.ts";
import { chosenClusters, readHostedInput } from "./hosted-input.ts";
import { hostedText } from "./hosted-text.ts";

export type HostedCommandOptions = Readonly<{
  releaseVersion?: string;
  toRelease?: string;
  output: "table" | StructuredFormat;
  compat?: "hypershift";
  issues: "text" | "json";
}> &
  CheckOptions;

/**
 * Runs `hubrelay hosted`: prints what each HostedCluster gets on standard output, including invalid ones, and every
 * issue on standard error. Returns the exit code.
 */
export async function hosted(name: string | undefined, options: HostedCommandOptions): Promise<number> {
  const { filename, releaseVersion, toRelease, output, compat, issues: format } = options;
  if (toRelease !== undefined && !parseRelease(toRelease))
    throw new UsageError(`--to-release ${toRelease}: not a version such as 4.21.0`);
  const { objects, issues, damage, place } = await readHostedInput(filename);
  const known = { compat, releaseVersion, toRelease, damage };
  const choose = (chosen: HostedOptions) =>
    chosenClusters(readHostedClusters(objects, chosen), name, ({ cluster }) => cluster);
  const asked = choose(known);
  const checked = await withRegistry(options, objects, async (registry): Promise<HostedOptions> => {
    if (!registry) return known;
    const releases = await readReleases(registry, asked, objects, compat);
    const catalogs = await readCatalogs(registry, choose({ ...known, releases }), objects, compat);
    return { ...known, releases, catalogs };
  });
  const reports = reportHostedClusters(objects, checked);
  const clusters = chosenClusters(reports.clusters, name, (cluster) => cluster);
  const found = name === undefined ? reports.issues : clusters.flatMap((cluster) => cluster.issues);
  const exitCode = printIssues(place([...issues, ...found]), format);
  print(output === "table" ? hostedText(clusters) : structured(clusters, output));
  return exitCode;
}
