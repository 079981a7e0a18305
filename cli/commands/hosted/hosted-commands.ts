import { type Command, Option } from "commander";
import { compatOption, hubOrFileOption, issuesOption, reportOption } from "../../program/options.ts";

const checkOption = () => new Option("--check", "ask the registries, with the pull secret of each cluster");
const pullSecretOption = () =>
  new Option(
    "--pull-secret <file>",
    "what a pull secret has as .dockerconfigjson, for --check instead of the clusters' own",
  );

/** Adds the commands about hosted clusters: what each is given, and where an image is looked for. */
export function addHostedCommands(hubrelay: Command): void {
  // Options behind "explain" are its own, although "hosted" has some of the same names.
  hubrelay.enablePositionalOptions();
  const hosted = hubrelay
    .command("hosted")
    .description("tell what hosted clusters are given: registry overrides, catalogs, capabilities")
    .argument("[name]", "of one HostedCluster, as name or namespace/name")
    .enablePositionalOptions()
    .addOption(hubOrFileOption())
    .option("--release-version <version>", "of the releases, instead of what status or the tag says")
    .option("--to-release <version>", "tell what an upgrade to this version changes in the capabilities")
    .addOption(checkOption())
    .addOption(pullSecretOption())
    .addOption(reportOption())
    .addOption(compatOption("hypershift"))
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
Without --check no registry is asked: catalogs are the newest tag of the first registry. With it the releases are read
through the mirrors, for their version and for where their images are, and the catalogs are looked for.

Examples:
  hubrelay hosted                                      every HostedCluster of the hub
  hubrelay hosted clusters/shop -f manifests/ -o json
  hubrelay hosted -f manifests/ --compat hypershift    what HyperShift's operators work out
  hubrelay hosted shop --to-release 4.21.0             what the upgrade turns on, before it begins`,
    )
    .action(async (name, options) => {
      const { hosted: run } = await import("./hosted.ts");
      process.exitCode = await run(name, options);
    });

  hosted
    .command("explain")
    .description("tell where an image is looked for on behalf of hosted clusters, and why not elsewhere")
    .argument("<image>", "with its host")
    .argument("[name]", "of the HostedCluster that looks for it, as name or namespace/name")
    .addOption(hubOrFileOption())
    .option("--registry-overrides <text>", "what HyperShift was installed with: source=target,…")
    .addOption(checkOption())
    .addOption(pullSecretOption())
    .addOption(reportOption())
    .addOption(compatOption("hypershift"))
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
These are the mirrors of the management cluster: control planes look up metadata through them. Nodes of a hosted
cluster pull through its spec.imageContentSources. The first candidate that the rules allow is taken; with --check the
first that has the image.

Examples:
  hubrelay hosted explain quay.io/openshift-release-dev/ocp-release:4.20.4-multi -f mirrors/
  hubrelay hosted explain quay.io/ns/app@sha256:DIGEST clusters/shop -o json
  hubrelay hosted explain quay.io/ns/app:v1 -f mirrors/ --registry-overrides quay.io=mirror.example.com`,
    )
    .action(async (image, name, options) => {
      const { explainHosted } = await import("./hosted-explain.ts");
      process.exitCode = await explainHosted(image, name, options);
    });
}
