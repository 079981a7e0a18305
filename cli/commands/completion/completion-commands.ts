import { print, verbatim } from "../../io/safe-text.ts";
import type { CliCommand } from "../../program/command.ts";
import { installHelp, shells } from "./shell-scripts.ts";

/** Adds `hubrelay completion SHELL`, and the hidden command that its scripts call. */
export function addCompletionCommands(hubrelay: CliCommand): void {
  const completion = hubrelay
    .command("completion")
    .description("print a script that completes commands, options, files and names from the hub");
  for (const [name, shell] of Object.entries(shells))
    completion
      .command(name)
      .description(`print the completion script for ${name}`)
      .closingHelp(installHelp(shell))
      .action(() => print(verbatim(shell.script)));

  hubrelay
    .command("complete", { hidden: true })
    .argument("[words...]", "the words after hubrelay; the last is completed, and may be empty")
    .passThroughOptions()
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const { complete } = await import("./complete.ts");
      await complete(hubrelay, words);
    });
}
