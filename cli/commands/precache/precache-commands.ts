import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import { addSelectionOptions } from "../../program/object-selection.ts";
import {
  bandwidth,
  collect,
  dueTime,
  duration,
  size,
  timeZone,
  version,
} from "../../program/option-values.ts";
import {
  hubOrFileOption,
  outputOption,
  pullSecretOption,
  requireCoverageOption,
  withoutOption,
} from "../../program/options.ts";

const dueOptions = () => [
  new Option(
    "--by <time>",
    "when all images have to be there: an RFC 3339 time, the begin of a date or of saturday, or window: the end of each cluster's next opening",
  ).argParser(dueTime),
  new Option(
    "--time-zone <zone>",
    "for --by: where days begin; default: the one zone of the windows, else local",
  ).argParser(timeZone),
  new Option(
    "--size <size>",
    "how much each cluster pulls in all, such as 18GiB, or of an image or repository: quay.io/app/api=2GiB, repeatable; default with --by: at most spaceRequired",
  ).argParser(size),
];

function addPlan(precache: CliCommand): void {
  const plan = precache
    .command("plan")
    .description("show which clusters pre-cache what, and the conditions that result; writes nothing")
    .argument("[cgu...]", "only these ClusterGroupUpgrades, as name or namespace/name")
    .addOptions(hubOrFileOption(), outputOption())
    .addOption(
      new Option(
        "--update-graph <file>",
        "file with an update graph (Cincinnati JSON), instead of update-graph.json in a folder of -f or of the hub, and of the servers",
      ).env("HUBRELAY_UPDATE_GRAPH"),
    )
    .option(
      "--hub-version <version>",
      "the hub's OpenShift version, instead of the one in its ClusterVersion; default: HUBRELAY_HUB_VERSION",
      version,
    )
    .option("--sizes", "query registries, through the mirrors, for how much each cluster has to pull")
    .option(
      "--bandwidth <mbit>",
      "for --sizes, --size and --by: Mbit/s, 100 for every cluster, or SITE=20 for a site; repeatable",
      bandwidth,
    )
    .addOptions(...dueOptions())
    .option(
      "--clusters",
      "list every cluster, however many there are; otherwise counts by action, site and reason",
    )
    .addOptions(pullSecretOption("for --sizes: "), withoutOption("for --sizes: "), requireCoverageOption())
    .closingHelp(`
The manifests are ClusterGroupUpgrades with their PreCachingConfigs, policies (with status) and ManagedClusters, and
optionally the ConfigMap cluster-group-upgrade-overrides and ClusterVersion/version of the hub. The forecast also needs
MaintenanceWindows, and PreCachingReports for what runs have reported. --sizes also needs the mirror objects, and
Image/cluster with its insecure registries.

Exit code 1: a plan has errors, and the others are still shown; or with --by, clusters would be late. Exit code 2: with
--by, only some ends are unknown.

Examples:
  hubrelay precache plan
  hubrelay precache plan ztp-group/upgrade -o yaml
  hubrelay precache plan -f hub/ --update-graph stable-4.20.json --hub-version 4.20
  oc get cgu,precachingconfig,policy,managedcluster,managedclusterinfo,imagebasedgroupupgrade,clusterversion -A -o yaml | hubrelay precache plan -f - -o json
  hubrelay precache plan --sizes --bandwidth 100 --bandwidth oslo=20 --pull-secret pull-secret.json
  hubrelay precache plan ztp-group/upgrade --sizes --by saturday --time-zone Europe/Oslo`)
    .runs(async () => (await import("./precache-plan.ts")).precachePlan);

  addSelectionOptions(plan, "ClusterGroupUpgrades");
}

function addStatus(precache: CliCommand): void {
  const status = precache
    .command("status")
    .description("show the progress of each cluster, failures with their reasons, and the estimated end")
    .argument("[cgu]", "only this ClusterGroupUpgrade, as name or namespace/name")
    .addOption(hubOrFileOption())
    .option("--cluster <name>", "only this cluster: why it has its images or not, since when, and the fix")
    .addOption(outputOption("wide"))
    .option("-w, --watch", "print again after each change, until all clusters have ended")
    .addOptions(...dueOptions())
    .closingHelp(`
The manifests are ClusterGroupUpgrades with their PreCachingReports and ReadinessReports. Reasons are from these reports,
which stay; Events are not read. Of upgrades that TALM pre-caches the text has TALM's states.

Exit code 1: with --by, clusters are late. Exit code 2: with --by, only some ends are unknown.

Examples:
  hubrelay precache status
  hubrelay precache status ztp-group/upgrade --watch
  hubrelay precache status --cluster sno7              # of every upgrade that selects it
  hubrelay precache status -n ztp-group -o wide        # every cluster, not only the first ten of each state
  hubrelay precache status upgrade -o json`)
    .runs(async () => (await import("./precache-status.ts")).precacheStatus);

  addSelectionOptions(status, "ClusterGroupUpgrades");
}

function addRetry(precache: CliCommand): void {
  precache
    .command("retry")
    .description("pre-cache again on clusters that have ended; others are not changed")
    .argument("<cgu>", "the ClusterGroupUpgrade, as name or namespace/name")
    .option("--cluster <name>", "this cluster; repeatable. Default: all that failed", collect)
    .option("--dry-run", "only report which clusters would be pre-cached again")
    .closingHelp(`
Examples:
  hubrelay precache retry ztp-group/upgrade --dry-run
  hubrelay precache retry ztp-group/upgrade
  hubrelay precache retry upgrade --cluster sno7 --cluster sno9`)
    .runs(async () => (await import("./precache-retry.ts")).precacheRetry);
}

function addCheck(precache: CliCommand): void {
  precache
    .command("check")
    .description("check whether images that were pre-cached are still on the clusters; pulls nothing")
    .argument("<cgu>", "the ClusterGroupUpgrade, as name or namespace/name")
    .option("--cluster <name>", "this cluster; repeatable. Default: all that have succeeded", collect)
    .option("--no-wait", "request the check, and do not wait for results")
    .addOption(
      new Option("--timeout <duration>", "how long to wait for results")
        .argParser(duration)
        .default(20 * 60_000, "20m"),
    )
    .closingHelp(`
Exit code 1: images are missing. Exit code 2: a cluster has no result, or nothing could be requested. Results stay in
the PreCachingReports; the state of a cluster does not change.

Examples:
  hubrelay precache check ztp-group/upgrade
  hubrelay precache check upgrade --cluster sno7
  hubrelay precache check upgrade --no-wait`)
    .runs(async () => (await import("./precache-check.ts")).precacheCheck);
}

/** Adds the commands below `hubrelay precache`. */
export function addPrecacheCommands(hubrelay: CliCommand): void {
  const precache = hubrelay
    .command("precache")
    .description("pre-caching of images on managed clusters, before a ClusterGroupUpgrade");
  addPlan(precache);
  addStatus(precache);
  addRetry(precache);
  addCheck(precache);
}
