import { getSystemErrorMessage, inspect } from "node:util";
import { CommanderError } from "commander";
import { redactForeign } from "#shared/domain/text/redact.ts";
import { lines, printMessage, safe } from "../io/safe-text.ts";
import { exitCodes, UsageError } from "../program/exit-codes.ts";
import { program } from "./all-commands.ts";

/** Shells report this status for a program that SIGPIPE has ended. Node.js ignores SIGPIPE, so hubrelay sets it. */
const endedBySigpipe = 141;

/** If the reader has closed the pipe (`… | head -1`), the process ends without a message, as kubectl does. */
function endWhenOutputFails(): void {
  process.stdout.once("error", ({ code, errno, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(endedBySigpipe);
    const problem = errno === undefined ? message : getSystemErrorMessage(errno);
    printMessage(safe`standard output cannot be written: ${problem}`);
    process.exit(exitCodes.usage);
  });
  // If standard error cannot be written, no message can be shown.
  process.stderr.once("error", ({ code }: NodeJS.ErrnoException) =>
    process.exit(code === "EPIPE" ? endedBySigpipe : exitCodes.usage),
  );
}

/** Runs the command that the process's arguments name, and sets the exit code of the process. */
export async function runCommand(): Promise<void> {
  endWhenOutputFails();
  try {
    await program().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    else if (error instanceof UsageError) {
      printMessage(safe`${error.message}`);
      process.exitCode = exitCodes.usage;
    } else if (error instanceof AggregateError && error.errors.every((one) => one instanceof UsageError)) {
      for (const { message } of error.errors) printMessage(safe`${message}`);
      process.exitCode = exitCodes.usage;
    } else {
      printMessage(safe`this is a bug:\n${lines(redactForeign(inspect(error)))}`);
      process.exit(exitCodes.bug);
    }
  }
}
