import type { CliCommand } from "../../program/command.ts";
import { addSelectionOptions } from "../../program/object-selection.ts";
import { wholeNumber } from "../../program/option-values.ts";
import { hubOrFileOption, nowOption, outputOption, watchOption } from "../../program/options.ts";

/** Adds the command about maintenance windows. */
export function addWindowCommands(hubrelay: CliCommand): void {
  const windows = hubrelay
    .command("windows")
    .description("list the next openings of maintenance windows")
    .addOptions(hubOrFileOption(), nowOption())
    .option(
      "--next <n>",
      "number of openings of each window, including one in progress",
      wholeNumber(1, 1000),
      3,
    )
    .addOptions(outputOption(), watchOption())
    .closingHelp(`
Examples:
  hubrelay windows                                        # windows of the kubeconfig's hub
  hubrelay windows -n hubrelay -l site=oslo
  hubrelay windows -f windows/ --next 10
  hubrelay windows -f windows/ --now 2026-03-28T00:00:00Z -o json`)
    .runs(async () => (await import("./windows.ts")).windows);
  addSelectionOptions(windows, "MaintenanceWindows");
}
