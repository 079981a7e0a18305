/** The exit codes of every command. */
export const exitCodes = {
  fine: 0,
  /** The input has errors; each was reported, and the valid rest was processed where that is safe. */
  issues: 1,
  /** Wrong usage, or the environment lacks something. */
  usage: 2,
  /** An exception that nothing expected (EX_SOFTWARE of sysexits.h): the input may be fine. */
  bug: 70,
} as const;

/** An error of the command line or the environment, not of the input: exit code 2. The message is shown to the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "InvalidUsage";
}
