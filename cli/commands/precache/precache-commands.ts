import { type Command, Option } from "commander";
import { bandwidth, collect } from "../../program/option-values.ts";
import { compatOption, hubOrFileOption, issuesOption, reportOption } from "../../program/options.ts";

/** Adds `hubrelay precache …`: who gets which images before an upgrade, and how far each cluster is. */
export function addPrecacheCommands(hubrelay: Command): void {
  const precache = hubrelay
    .command("precache")
    .description("pre-caching of images on managed clusters, before a ClusterGroupUpgrade");

  precache
    .command("plan")
    .description("tell which clusters pre-cache what, and what the conditions will say; writes nothing")
    .argument("[cgu...]", "only these ClusterGroupUpgrades, as name or namespace/name")
    .addOption(hubOrFileOption())
    .addOption(reportOption())
    .addOption(
      new Option(
        "--profile <profile>",
        "which values may be overridden: all, or none that a policy gives; without it HUBRELAY_PRECACHE_PROFILE, else seed",
      ).choices(["seed", "hardened"]),
    )
    .addOption(compatOption("talm"))
    .option("--update-graph <file>", "the update graph (Cincinnati JSON) in a file, instead of the server's")
    .option(
      "--hub-version <version>",
      "the hub's OpenShift version, where no ClusterVersion tells it; without it HUBRELAY_HUB_VERSION",
    )
    .option(
      "--sizes",
      "ask registries how much every cluster has to pull, through the mirrors, and whether it fits",
    )
    .addOption(
      new Option(
        "--bandwidth <mbit>",
        "Mbit/s, for --sizes: 100 to every cluster, or SITE=20 to a site; repeatable",
      ).argParser(bandwidth),
    )
    .option(
      "--pull-secret <file>",
      "what a pull secret has as .dockerconfigjson, for --sizes; the hub's own otherwise",
    )
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
The manifests are ClusterGroupUpgrades with their PreCachingConfigs, policies (with status) and ManagedClusters, and
where there are any the ConfigMap cluster-group-upgrade-overrides and ClusterVersion/version of the hub. For --sizes
they have the mirror objects, Image/cluster with its insecure registries, and PreCachingReports as well.

Exit code 1: a plan has errors; the others are told all the same.

Examples:
  hubrelay precache plan
  hubrelay precache plan ztp-group/upgrade -o yaml
  hubrelay precache plan -f hub/ --update-graph stable-4.20.json --hub-version 4.20
  oc get cgu,precachingconfig,policy,managedcluster -A -o yaml | hubrelay precache plan -f - -o json
  hubrelay precache plan --sizes --bandwidth 100 --bandwidth oslo=20 --pull-secret pull-secret.json
  hubrelay precache plan -f hub/ --compat talm              what TALM would do, and would refuse`,
    )
    .action(async (names, options) => {
      const { precachePlan } = await import("./precache-plan.ts");
      process.exitCode = await precachePlan(names, options);
    });

  precache
    .command("status")
    .description("tell how far each cluster is, which failed and why, and when the last will have ended")
    .argument("[cgu]", "only this ClusterGroupUpgrade, as name or namespace/name")
    .addOption(hubOrFileOption())
    .addOption(reportOption())
    .option("--watch", "tell again whenever something has changed, until all clusters have ended")
    .addHelpText(
      "after",
      `
The manifests are ClusterGroupUpgrades and their PreCachingReports.

Examples:
  hubrelay precache status
  hubrelay precache status ztp-group/upgrade --watch
  hubrelay precache status upgrade -o json`,
    )
    .action(async (name, options) => {
      const { precacheStatus } = await import("./precache-status.ts");
      process.exitCode = await precacheStatus(name, options);
    });

  precache
    .command("retry")
    .description("pre-cache again on clusters that have ended; the others are not touched")
    .argument("<cgu>", "the ClusterGroupUpgrade, as name or namespace/name")
    .addOption(new Option("--cluster <name>", "this cluster; repeatable").argParser(collect))
    .option("--failed", "all clusters that failed: what is done when nothing is said")
    .addHelpText(
      "after",
      `
Examples:
  hubrelay precache retry ztp-group/upgrade
  hubrelay precache retry upgrade --cluster sno7 --cluster sno9`,
    )
    .action(async (name, options) => {
      const { precacheRetry } = await import("./precache-retry.ts");
      process.exitCode = await precacheRetry(name, options);
    });
}
