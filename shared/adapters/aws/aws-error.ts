import { redact } from "../../domain/credentials/redact.ts";

const longestMessage = 160;

/**
 * The name of a failed request's error without its namespace: AWS says
 * `AWS.SimpleQueueService.NonExistentQueue` where other servers say `NonExistentQueue`. Trouble of the network
 * has its code instead (`ECONNREFUSED`).
 */
export function awsErrorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code)) return error.code;
  return lastPart(error.name);
}

/** The part of a dotted or hashed error code that all servers share. */
export function lastPart(code: string): string {
  return code.slice(Math.max(code.lastIndexOf("."), code.lastIndexOf("#")) + 1);
}

/**
 * A failed request in one line. Only the first line of its message is told, since a signature error goes on
 * with the whole request, session token included.
 */
export function awsErrorText(error: unknown): string {
  const name = awsErrorName(error);
  const [line = ""] = error instanceof Error ? redact(error.message).split(/[\r\n]/, 1) : [];
  return line === "" || line === name ? name : `${name}: ${line.slice(0, longestMessage)}`;
}
