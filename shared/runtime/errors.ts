import { PortError } from "../ports/port-error.ts";

/** Reports whether a retry may succeed after an error of another system. */
export function isRetryable(error: unknown): boolean {
  return error instanceof PortError && error.isRetryable;
}

/** Returns an error as one line for a log: its name and message, never its stack or cause. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
