import type { CliCommand } from "../../program/command.ts";
import { nowOption, outputOption } from "../../program/options.ts";

/** Adds `config`. */
export function addConfigCommand(hubrelay: CliCommand): void {
  hubrelay
    .command("config")
    .description("show the settings of this repository that are in force, and those that have ended")
    .addOptions(nowOption(), outputOption())
    .closingHelp(`
The settings are in .hubrelay.yaml at the root of the repository: the folder with .git, else the current one. "validate"
and "diff" read them. Exit code 2: they are invalid.

Examples:
  hubrelay config
  hubrelay config -o json`)
    .runs(async () => (await import("./config.ts")).config);
}
