import { getSystemErrorMessage } from "node:util";
import { exitCodes } from "../program/exit-codes.ts";
import { printMessage, safe } from "./safe-text.ts";

/** What a shell reports for a program that SIGPIPE ended, which Node.js ignores. */
const endedBySigpipe = 141;

/**
 * Ends the process when its output cannot be written: quietly when the reader has closed the pipe
 * (`hubrelay render | head -1`), as kubectl and the shell's own tools end, otherwise with one line (`> /dev/full`).
 */
export function endWhenOutputFails(): void {
  process.stdout.once("error", ({ code, errno, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(endedBySigpipe);
    const problem = errno === undefined ? message : getSystemErrorMessage(errno);
    printMessage(safe`standard output cannot be written: ${problem}`);
    process.exit(exitCodes.usage);
  });
  // There is nowhere left to report this.
  process.stderr.once("error", ({ code }: NodeJS.ErrnoException) =>
    process.exit(code === "EPIPE" ? endedBySigpipe : exitCodes.usage),
  );
}
