import { inspect } from "node:util";
import { CommanderError } from "commander";
import { redactForeign } from "#shared/domain/credentials/redact.ts";
import { program } from "./commands/program.ts";
import { endWhenOutputFails } from "./io/failed-output.ts";
import { lines, printMessage, safe } from "./io/safe-text.ts";
import { exitCodes, UsageError } from "./program/exit-codes.ts";

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
