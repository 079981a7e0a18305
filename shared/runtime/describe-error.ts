/** Returns an error as one line for a log: its name and message, never its stack or cause. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
