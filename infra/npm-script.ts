import { Command, CommanderError } from "commander";
import { messageOf } from "#shared/domain/text/error-text.ts";
import { usageError } from "../cli/program/command.ts";

const callOf = (name: string): string => `npm run ${name} --`;

/** Returns the command of an npm script, without options. The command throws errors instead of printing them. */
export function scriptCommand(name: string): Command {
  return new Command(callOf(name)).exitOverride().configureOutput({ writeErr: () => undefined });
}

/** Runs a script. Prints an error as one line. The exit code is 1 for a failure and 2 for wrong options. */
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
