import { Command } from "commander";

/** Ends with the error, and suggestion, of commander for a name that is none of the commands below. */
function reportUnknown(command: Command, name: string): never {
  // The command itself may have an action, which would run with the name as its argument.
  const names = new Command(command.name()).copyInheritedSettings(command);
  for (const below of command.commands) names.command(below.name());
  if (command.commands.length > 0) names.parse([name], { from: "user" });
  return command.error(`unknown command '${name}'`);
}

/**
 * Adds `help [command...]` to every command that only has others below it: commander's own reads one name only, and
 * ignores an unknown one.
 */
export function addHelpCommands(top: Command): void {
  for (const below of top.commands)
    if (below.commands.length > 0 && below.registeredArguments.length === 0) addHelpCommands(below);
  top
    .command("help")
    .description("display help for command")
    .argument("[command...]")
    .helpOption(false)
    .action((path: readonly string[]) => {
      let command = top;
      for (const name of path)
        command = command.commands.find((below) => below.name() === name) ?? reportUnknown(command, name);
      command.help();
    });
}
