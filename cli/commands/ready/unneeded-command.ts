import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import { registry } from "../../program/option-values.ts";
import { hubOrFileOption, pullSecretOption, requestLimits } from "../../program/options.ts";

const help = `
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
    .closingHelp(help)
    .runs(async () => (await import("./unneeded.ts")).unneeded);
}
