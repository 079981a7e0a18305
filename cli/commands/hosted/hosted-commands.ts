import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import { addSelectionOptions } from "../../program/object-selection.ts";
import { version } from "../../program/option-values.ts";
import {
  hubOrFileOption,
  outputOption,
  releaseVersionOption,
  requireCoverageOption,
  watchOption,
} from "../../program/options.ts";

const checkOption = () => new Option("--check", "query the registries, with the pull secret of each cluster");
const pullSecretOption = () =>
  new Option(
    "--pull-secret <file>",
    "for --check: file with the .dockerconfigjson of a pull secret, instead of the clusters' own",
  );

export function addHostedCommands(hubrelay: CliCommand): void {
  const hosted = hubrelay
    .command("hosted")
    .description("show what hosted clusters get: registry overrides, catalogs, capabilities")
    .argument("[name]", "only this HostedCluster, as name or namespace/name")
    .enablePositionalOptions()
    .addOption(hubOrFileOption())
    .addOption(
      releaseVersionOption(
        "control planes run, instead of the newest completed one in status or the image's",
      ),
    )
    .option(
      "--to-release <version>",
      "show which capabilities an upgrade to this version changes, and which stay on",
      version,
    )
    .addOptions(
      checkOption(),
      pullSecretOption(),
      outputOption(),
      watchOption().conflicts("check"),
      requireCoverageOption(),
    )
    .closingHelp(`
Without --check, no registry is queried: catalogs are the newest tag of the first registry. With it, the releases are
read through the mirrors, for their version and the locations of their images, and the catalogs are looked up.

Examples:
  hubrelay hosted                                      # every HostedCluster of the hub
  hubrelay hosted -n clusters -l tier=edge
  hubrelay hosted clusters/shop -f manifests/ -o json
  hubrelay hosted shop --to-release 4.21.0             # what the upgrade enables, before it starts`)
    .runs(async () => (await import("./hosted.ts")).hosted);
  addSelectionOptions(hosted, "HostedClusters");

  hosted
    .command("explain")
    .description("show where an image is looked up for hosted clusters, and why not elsewhere")
    .argument("<image>", "image, with its registry host")
    .argument("[name]", "the HostedCluster to look it up for, as name or namespace/name")
    .addOption(hubOrFileOption())
    .addOption(
      new Option(
        "--node-pool <name>",
        "where nodes of this NodePool of the HostedCluster pull the image, instead of its control plane",
      ).conflicts(["check", "releaseVersion"]),
    )
    .addOptions(
      releaseVersionOption("the control plane runs, which decides how it looks up images"),
      checkOption(),
      pullSecretOption(),
      outputOption(),
    )
    .closingHelp(`
These are the mirrors of the management cluster: control planes look up metadata through them. Nodes of a hosted
cluster pull through its spec.imageContentSources, and what the ConfigMaps of their NodePool add: --node-pool. The first candidate that the rules allow is used; with --check,
the first that has the image.

Examples:
  hubrelay hosted explain quay.io/openshift-release-dev/ocp-release:4.20.4-multi -f mirrors/
  hubrelay hosted explain quay.io/ns/app@sha256:DIGEST clusters/shop -o json
  hubrelay hosted explain quay.io/ns/app@sha256:DIGEST clusters/shop --node-pool workers`)
    .runs(async () => (await import("./hosted-explain.ts")).explainHosted);
}
