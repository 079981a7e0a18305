import { redactForeign } from "./redact.ts";

/** Returns the message of an error, or any other thrown value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the first line of an error's message, without credentials. Later lines may quote a whole request. */
export function firstLineOf(error: unknown): string {
  const [line = ""] = error instanceof Error ? redactForeign(error.message).split(/[\r\n]/, 1) : [];
  return line;
}
