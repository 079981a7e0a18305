/** What a shell reports for a program that SIGPIPE ended, which Node.js ignores. */
const endedBySigpipe = 141;

/**
 * Ends the process quietly when the reader of its output has closed the pipe (`hubrelay render | head -1`), as kubectl
 * and the shell's own tools end.
 */
export function endQuietlyAtClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(endedBySigpipe);
      throw error;
    });
}
