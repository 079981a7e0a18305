/** The exit codes of every command. */
export const exitCodes = {
  fine: 0,
  /** The input has errors. Each was reported, and valid input was processed where that is safe. */
  issues: 1,
  /** Wrong usage, or an incomplete environment. */
  usage: 2,
  /** An unexpected exception (EX_SOFTWARE of sysexits.h): the input may be valid. */
  bug: 70,
} as const;

/** An error of the command line or the environment, not of the input: exit code 2. The message is shown to the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "InvalidUsage";
}
