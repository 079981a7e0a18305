import { Command, CommanderError } from "commander";
import { messageOf } from "#shared/domain/text/error-text.ts";
import { usageError } from "../cli/program/command.ts";

const callOf = (name: string): string => `npm run ${name} --`;

/** Returns the command of an npm script, to which the caller adds options. The command throws errors but prints none. */
export function scriptCommand(name: string): Command {
  // Commander prints no errors, since `runScript` does.
  return new Command(callOf(name)).exitOverride().configureOutput({ writeErr: () => undefined });
}

/** Runs a script and prints an error as one line. Exit codes are those of hubrelay: 1 for a failure, 2 for wrong options. */
export async function runScript(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return; // commander has printed the help
    const isUsage = error instanceof CommanderError;
    const message = messageOf(error);
    process.stderr.write(`${isUsage ? usageError(message, callOf(name)) : message}\n`);
    process.exitCode = isUsage ? 2 : 1;
  }
}
