import { firstLineOf } from "../../domain/text/error-text.ts";

const maxMessageLength = 160;

/**
 * Returns the name of a failed request's error without its namespace: AWS sends
 * `AWS.SimpleQueueService.NonExistentQueue` where other servers send `NonExistentQueue`. Network errors have their code
 * instead (`ECONNREFUSED`).
 */
export function awsErrorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code)) return error.code;
  return lastPart(error.name);
}

/** Returns the part of a dotted or hashed error code that all servers share. */
export function lastPart(code: string): string {
  return code.slice(Math.max(code.lastIndexOf("."), code.lastIndexOf("#")) + 1);
}

/**
 * Returns a failed request in one line. Only the first line of its message is used, since a signature error quotes the
 * whole request, session token included.
 */
export function awsErrorText(error: unknown): string {
  const name = awsErrorName(error);
  const line = firstLineOf(error);
  return line === "" || line === name ? name : `${name}: ${line.slice(0, maxMessageLength)}`;
}
