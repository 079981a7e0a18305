import { InvalidArgumentError, Option } from "commander";
import { isVersion } from "#shared/domain/openshift/releases/release.ts";
import { type CatalogSelection, parseCatalogSelection } from "#shared/domain/ready/catalog-selection.ts";
import type { CliCommand } from "../../program/command.ts";
import { collect, image, registry } from "../../program/option-values.ts";
import {
  addPathArguments,
  hubOrFileOption,
  policyOptions,
  pullSecretOption,
  requestLimits,
  requireCoverageOption,
  withoutOption,
} from "../../program/options.ts";

function catalog(text: string, previous: readonly CatalogSelection[] = []): readonly CatalogSelection[] {
  const selection = parseCatalogSelection(text);
  if (selection) return [...previous, { ...selection, index: image(selection.index) }];
  throw new InvalidArgumentError("It must be INDEX, or INDEX=package:channel,…");
}

function release(text: string, previous?: readonly string[]): readonly string[] {
  if (isVersion(text)) return collect(text, previous);
  if (text.includes("/")) return collect(image(text), previous);
  throw new InvalidArgumentError(
    "It must be a version such as 4.20.4, or a release image with its registry.",
  );
}

const architectures = ["amd64", "arm64", "ppc64le", "s390x"];

function architecture(text: string, previous?: readonly string[]): readonly string[] {
  if (architectures.includes(text)) return collect(text, previous);
  throw new InvalidArgumentError(`Allowed choices are ${architectures.join(", ")}.`);
}

const releaseOption = () =>
  new Option("--release <release>", "a version such as 4.20.4, or a release image; repeatable").argParser(
    release,
  );
const catalogOption = () =>
  new Option(
    "--catalog <index>",
    "an index image with the operators at the heads of its default channels, or INDEX=package:channel,… for some of them; repeatable",
  ).argParser(catalog);

const readyHelp = `
Each image is looked for where nodes would look, in the same order and with the same rules: mirrors for digests or tags,
blocked registries, credentials, certificates and signature policies. The first location that returns a manifest decides,
as for a node. Signatures are verified by the policies' keys and authorities; those of a PKI are verified only by nodes.

MachineConfigs count as they do on nodes.

Exit codes: 0 everything can be pulled, 1 something cannot, 2 the registries that decide did not respond.

Examples:
  hubrelay ready --release 4.20.4 --disconnected
  hubrelay ready --cgu ztp-group/upgrade -o json
  hubrelay ready -f mirrors/ --image quay.io/ns/app@sha256:DIGEST --pull-secret pull-secret.json
  hubrelay ready --release 4.20.4 --catalog registry.redhat.io/redhat/redhat-operator-index:v4.20=sriov-network-operator:stable
  hubrelay ready --hosted clusters/shop                # its release, by its own rules and pull secret
  hubrelay ready --release 4.20.4 --missing imageset > imageset.yaml`;

export function addReadyCommand(hubrelay: CliCommand): void {
  addPathArguments(hubrelay.command("ready"))
    .description("check in the registries whether nodes can pull everything that an upgrade needs")
    .addOptions(hubOrFileOption(), releaseOption())
    .option(
      "--cgu <name>",
      "what this ClusterGroupUpgrade pre-caches, as name or namespace/name; repeatable",
      collect,
    )
    .option("--image <image>", "an image, as in a pod spec; repeatable", collect)
    .addOption(catalogOption())
    .addOption(
      new Option("--pool <name>", "by the rules that the nodes of this MachineConfigPool have").conflicts(
        "hosted",
      ),
    )
    .option(
      "--hosted <name>",
      "by the rules of this HostedCluster's nodes, as namespace/name; without an image every release that they run or will run",
    )
    .addOption(
      new Option(
        "--arch <architecture>",
        "architecture of the nodes; repeatable; by default those of the clusters of --cgu, of the NodePools of --hosted, or amd64",
      )
        .choices(architectures)
        .argParser(architecture),
    )
    .choice(
      "--depth <depth>",
      "what is requested: only manifests, or every layer as well",
      ["manifests", "blobs"],
      "blobs",
    )
    .addOption(withoutOption())
    .option("--disconnected", "nodes reach no source: an image that only its source has is an error")
    .addOptions(pullSecretOption(), ...requestLimits("; what is left is not checked"))
    .addOption(
      new Option(
        "--missing <what>",
        "print only what mirrors lack: as oc-mirror's configuration, or as names",
      )
        .choices(["imageset", "list"])
        .conflicts("output"),
    )
    .addOptions(...policyOptions("the images", ["missing", "hosted"]))
    .choice("-o, --output <format>", "output format", ["table", "json"], "table")
    .addOptions(requireCoverageOption())
    .closingHelp(readyHelp)
    .runsWithPaths(async () => (await import("./ready.ts")).ready);
}

const unneededHelp = `
Needed is every digest and tag that an object names, every release that a cluster runs, ran before it or has planned, with
its components, what a list of manifests has, and signatures; newer releases stay as well. A catalog stays with all its
bundles unless its tag, such as v4.14, is of a version before all that clusters ever ran, and no object names it. Judged are
releases, catalogs, the images that they name, and the repositories of --own. Nothing is deleted. Objects of other hubs that
use the registry belong to -f.

A cluster that does not report keeps every catalog, and every release from two minor versions before its own on. A template in
a policy keeps what its field may name. While that is any image, or something else is unknown, nothing is listed.

Exit codes: 0 the list is complete, 1 nothing is listed, since anything may be needed, 2 a registry or the hub refuses.

Examples:
  hubrelay unneeded mirror.lan:8443/ocp
  hubrelay unneeded mirror.lan:8443 -f hubs/ --own mirror.lan:8443/apps
  hubrelay unneeded mirror.lan:8443/ocp -o delete-image-list > delete.yaml
  oc mirror delete --v2 --delete-yaml-file delete.yaml docker://mirror.lan:8443/ocp`;

export function addUnneededCommand(hubrelay: CliCommand): void {
  hubrelay
    .command("unneeded")
    .description("list what a registry has and nothing needs any more, to be deleted")
    .argument("<registry...>", "HOST[:PORT], or HOST[:PORT]/PATH for the repositories below a path", registry)
    .addOption(hubOrFileOption())
    .addOption(
      new Option(
        "--own <host/path>",
        "judge this repository, or those below this path, too: everything that uses them is in -f; repeatable",
      ).argParser(registry),
    )
    .addOptions(pullSecretOption(), ...requestLimits("; if they do not suffice, nothing is listed"))
    .choice("-o, --output <format>", "output format", ["table", "json", "delete-image-list"], "table")
    .closingHelp(unneededHelp)
    .runs(async () => (await import("./unneeded.ts")).unneeded);
}
