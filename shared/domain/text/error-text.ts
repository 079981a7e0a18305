import { redactForeign } from "./redact.ts";

/** Returns the message of an error; for any other thrown value, its text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the first line of an error's message without credentials, for errors of libraries, whose further lines may quote a
 * whole request. Empty for any other thrown value.
 */
export function firstLineOf(error: unknown): string {
  const [line = ""] = error instanceof Error ? redactForeign(error.message).split(/[\r\n]/, 1) : [];
  return line;
}
