import { type Command, InvalidArgumentError, Option } from "commander";
import { wholeNumber } from "./option-values.ts";
import { hubOrFileOption, issuesOption, reportOption } from "./options.ts";

/** A moment as RFC 3339 has it, with a zone: a local time would mean something else on another machine. */
function moment(text: string): Date {
  const isMoment = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.test(text);
  const date = new Date(text);
  if (!isMoment || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError("It is no time of RFC 3339, e.g. 2026-03-29T01:00:00Z.");
  return date;
}

/** Adds what people ask about maintenance windows. */
export function addWindowCommands(hubrelay: Command): void {
  hubrelay
    .command("windows")
    .description("list when maintenance windows open next")
    .addOption(hubOrFileOption())
    .addOption(
      new Option("--now <time>", "as if it were this time (RFC 3339)")
        .argParser(moment)
        .default(undefined, "now"),
    )
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
      const { windows } = await import("./commands/windows.ts");
      process.exitCode = await windows({ now, ...options });
    });
}
