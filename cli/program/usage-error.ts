/** The command line or the environment is wrong, not the input: exit code 2. The message is for the person. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
