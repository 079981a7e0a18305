import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import {
  addPathArguments,
  addRenderOptions,
  failOnOption,
  hubOrFileOption,
  nowOption,
  outputOption,
  pullSecretOption,
  quietOption,
  releaseOptions,
  requireCoverageOption,
  withoutOption,
} from "../../program/options.ts";

function addValidate(hubrelay: CliCommand): void {
  addPathArguments(hubrelay.command("validate"))
    .description(
      "report every error in mirror objects, image configuration and policies, HostedClusters, ClusterGroupUpgrades, PreCachingConfigs and MaintenanceWindows",
    )
    .addOption(hubOrFileOption())
    .option(
      "--against <old>",
      'the stored objects: a file, a directory, "-", or "hub", which then validates as well',
    )
    .addOptions(...releaseOptions())
    .choice(
      "-o, --output <format>",
      "text on standard error, all others on standard output",
      ["text", "json", "sarif", "github", "junit"],
      "text",
    )
    .addOption(
      new Option(
        "--changed-since <ref>",
        "count only issues that the change since this branch, tag or commit causes",
      ).conflicts("against"),
    )
    .addOption(failOnOption())
    .option("--allow-empty", "exit with 0 instead of 2 when there is nothing to check")
    .addOptions(requireCoverageOption(), quietOption())
    .closingHelp(`
References between the objects are checked as well, and objects inside Policies, ManifestWorks, ConfigMaps and HostedClusters;
of a policy that only informs where a ClusterGroupUpgrade among the files manages it, or ZTP made it.
Clusters are named in .hubrelay.yaml ("hubrelay config propose"), else all files are of one. Patches and values of a
kustomization, and templates of a chart, are no manifests: name the folder with -k or --helm.

Settings are read from .hubrelay.yaml at the root of the repository. A comment accepts an issue at its place until a day:
# hubrelay:accept CODE until=2026-12-31 REASON

With --against, an object is an update of the stored object with its kind, namespace and name. "hub" means a server-side
dry run on the hub; a folder of that name is ./hub.

Examples:
  hubrelay validate mirrors/
  hubrelay validate *.yaml overlays/
  hubrelay validate -k overlays/prod -k overlays/stage # what kustomize makes of two folders
  hubrelay validate -f manifests/ -o sarif > hubrelay.sarif
  hubrelay validate -f . --changed-since origin/main   # a pull request: what it changes, and what that breaks elsewhere
  hubrelay validate -f new/ --against old/             # HostedClusters: the errors that the API server would return
  hubrelay validate -f new/ --against hub              # the same, validated by the hub`)
    .runsWithPaths(async () => (await import("./validate.ts")).validate);
}

function addRender(hubrelay: CliCommand): void {
  addPathArguments(hubrelay.command("render"))
    .description("merge mirror objects into the configuration files of a node")
    .addOption(hubOrFileOption())
    .choice(
      "-o, --output <what>",
      "what to print",
      ["registries-conf", "policy-json", "machine-config", "json", "files"],
      "registries-conf",
    )
    .addOption(new Option("--pool <name>", "pool of the MachineConfig").default(undefined, "worker"))
    .option("--dir <dir>", "output folder of -o files, as the root of a node")
    .option("--explain [source]", "explain the entry of this source, or every entry, instead of rendering it")
    .addOptions(...releaseOptions())
    .closingHelp(`
Examples:
  hubrelay render mirrors/                             # registries.conf on standard output
  hubrelay render -f mirrors/ --release-version 4.18   # as machine-config-operator of an older release writes it
  hubrelay render -f mirrors/ -o machine-config --pool master
  hubrelay render -f mirrors/ -o files --dir node-root
  hubrelay render -f mirrors/ --explain quay.io/ns     # which objects put its mirrors there`)
    .runsWithPaths(async () => (await import("./render.ts")).render);
}

function addExplain(hubrelay: CliCommand): void {
  hubrelay
    .command("explain")
    .description("show where a node looks for an image, in order, what it skips and why")
    .argument("<image>", "as in a pod spec; a short name is looked up at every search registry")
    .addOption(hubOrFileOption())
    .option("-n, --namespace <name>", "namespace of the pod, which may have its own signature policy")
    .addOption(new Option("--pool <name>", "MachineConfigPool of the node").default(undefined, "worker"))
    .addOptions(withoutOption(), outputOption(), ...releaseOptions(), requireCoverageOption())
    .closingHelp(`
MachineConfigs that write files of mirrors are merged with what is rendered. Registries are not asked: "hubrelay ready" does
that. Exit code 1: no node can pull the image, or one of its files is not read.

Examples:
  hubrelay explain quay.io/ns/app:v1 -f mirrors/
  hubrelay explain quay.io/ns/app@sha256:DIGEST -f mirrors/ -o json
  hubrelay explain quay.io/ns/app:v1 -f cluster/ --require-coverage`)
    .runs(async () => (await import("./explain.ts")).explain);
}

function addDiff(hubrelay: CliCommand): void {
  addRenderOptions(hubrelay.command("diff"), " in both sides, which are folders")
    .description("show what changes between two configurations and what that costs every node")
    .argument("<old>", "the current configuration")
    .argument("<new>", "the desired configuration")
    .addOptions(
      nowOption(),
      outputOption().choices(["table", "json", "yaml", "markdown"]),
      quietOption(),
      failOnOption(),
      ...releaseOptions(),
      requireCoverageOption(),
      new Option(
        "--check-signatures",
        "ask registries which images of Pods and of both sides are refused, or pulled again, by changed signature policies",
      ),
      pullSecretOption("for --check-signatures: "),
    )
    .closingHelp(`
Each side is a file or directory of manifests, "-" for standard input, or kustomize:DIR or helm:DIR for what these programs
make of a folder. With -k or --helm the sides are two checkouts, in which these folders are rendered.

MachineConfigPools, MachineConfiguration, Infrastructure, ClusterVersion, HostedClusters and NodePools among the manifests
decide what a change costs, and MaintenanceWindows which window it waits for: those of the new side, else of the old side.

Costs: none, reload (services, in place), drain, reboot, replace (nodes of hosted clusters). Exit code 1: the new side has
errors that the old one does not have or cannot be rendered, or what --fail-on lists. Settings are read from
.hubrelay.yaml at the root of the repository.

Examples:
  hubrelay diff mirrors/ changed-mirrors/
  hubrelay diff main/ branch/ -o markdown              # the comment of a pull request
  hubrelay diff main/ branch/ -k overlays/prod         # what kustomize makes of a folder of each
  hubrelay diff main/ branch/ --fail-on drain          # exit code 1 for a drain, a reboot or replaced nodes
  hubrelay diff hub mirrors/                           # what differs from the hub of the kubeconfig`)
    .runs(async () => (await import("./diff.ts")).diff);
}

function addConvert(hubrelay: CliCommand): void {
  hubrelay
    .command("convert")
    .description("convert ImageContentSourcePolicies and older source policies to mirror sets")
    .addOption(hubOrFileOption())
    .option("--dir <dir>", "write a file for each object to this folder, instead of all to standard output")
    .option("--check", "prove that the migration changes no node; files are written only if it does not")
    .addOptions(...releaseOptions())
    .closingHelp(`
Examples:
  hubrelay convert                                 # the policies of the live hub
  oc get imagecontentsourcepolicy,idms,itms -o yaml | hubrelay convert -f -
  hubrelay convert -f policies/ --dir mirror-sets
  hubrelay convert -f policies/ --check            # exit code 1 and the difference when a node would change`)
    .runs(async () => (await import("./convert.ts")).convert);
}

/** Adds `validate`, `render`, `explain`, `diff` and `convert`. */
export function addMirrorCommands(hubrelay: CliCommand): void {
  addValidate(hubrelay);
  addRender(hubrelay);
  addExplain(hubrelay);
  addDiff(hubrelay);
  addConvert(hubrelay);
}
