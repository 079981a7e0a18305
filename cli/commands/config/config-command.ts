import type { CliCommand } from "../../program/command.ts";
import { addPathArguments, fileOption, nowOption } from "../../program/options.ts";

export function addConfigCommand(hubrelay: CliCommand): void {
  const config = hubrelay.command("config");
  config
    .description("show the settings of this repository that are in force, and those that have ended")
    .addOptions(nowOption())
    .choice("-o, --output <format>", "output format", ["yaml", "json"], "yaml")
    .closingHelp(`
The settings are in .hubrelay.yaml at the root of the repository: the folder with .git, else the current one. "validate"
and "diff" read them. Exit code 2: they are invalid.

Examples:
  hubrelay config
  hubrelay config -o json`)
    .runs(async () => (await import("./config.ts")).config);
  addPathArguments(config.command("propose"))
    .description("propose the clusters of a repository: folders that define an object differently")
    .addOption(fileOption())
    .closingHelp(`
Folders of the same name are proposed as one cluster. Nothing is written: correct what is printed, and add it to
.hubrelay.yaml. Without a path the current folder is read.

Examples:
  hubrelay config propose
  hubrelay config propose -k overlays/prod -k overlays/stage`)
    .runsWithPaths(async () => (await import("./propose.ts")).propose);
}
