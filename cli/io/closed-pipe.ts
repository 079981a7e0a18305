import { fileErrorCode } from "#shared/adapters/file-errors.ts";
import { exitCodes } from "../program/exit-codes.ts";

/** Ends the process quietly when the reader of its output has ended, as in `hubrelay render | head -1`. */
export function endOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error) => {
      if (fileErrorCode(error) !== "EPIPE") throw error;
      process.exit(exitCodes.closedPipe);
    });
}
