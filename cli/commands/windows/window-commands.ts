import { type Command, Option } from "commander";
import { wholeNumber } from "../../program/option-values.ts";
import { hubOrFileOption, issuesOption, nowOption, reportOption } from "../../program/options.ts";

/** Adds what people ask about maintenance windows. */
export function addWindowCommands(hubrelay: Command): void {
  hubrelay
    .command("windows")
    .description("list when maintenance windows open next")
    .addOption(hubOrFileOption())
    .addOption(nowOption())
    .addOption(
      new Option("--next <n>", "how many openings of each window, one that is running included")
        .argParser(wholeNumber(1, 1000))
        .default(3),
    )
    .addOption(reportOption())
    .addOption(issuesOption())
    .addHelpText(
      "after",
      `
Examples:
  hubrelay windows                                        of the hub of the kubeconfig
  hubrelay windows -f windows/ --next 10
  hubrelay windows -f windows/ --now 2026-03-28T00:00:00Z -o json`,
    )
    .action(async ({ now = new Date(), ...options }) => {
      const { windows } = await import("./windows.ts");
      process.exitCode = await windows({ now, ...options });
    });
}
