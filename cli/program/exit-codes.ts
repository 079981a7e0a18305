/** The exit codes of all commands. */
export const exitCodes = {
  fine: 0,
  /** The input has errors, and each was printed. */
  issues: 1,
  /** Wrong usage, or a problem of the environment such as an unreachable hub. */
  usage: 2,
  /** An unexpected exception (EX_SOFTWARE of sysexits.h): the input may be valid. */
  bug: 70,
} as const;

/** An error of the command line or environment. Its message is shown to the user, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "InvalidUsage";
}
