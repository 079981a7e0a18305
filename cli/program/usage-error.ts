/** An error of the command line or the environment, not of the input: exit code 2. The message is shown to the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
