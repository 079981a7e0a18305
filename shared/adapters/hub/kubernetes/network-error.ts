import { redact } from "../../../domain/credentials/redact.ts";
import { HubError } from "../../../ports/hub.ts";
import { codeOf, isTimeout } from "../../network/network-errors.ts";

const maxMessageLength = 160;

/** The socket's message with its code, such as `connect ECONNREFUSED 192.0.2.1:6443`. It holds no headers. */
function textOf(error: unknown): string {
  const code = codeOf(error);
  const [line = ""] = error instanceof Error ? redact(error.message).split(/[\r\n]/, 1) : [];
  return line.includes(code)
    ? line.slice(0, maxMessageLength)
    : `${code}: ${line.slice(0, maxMessageLength)}`;
}

/** Returns a failed or incomplete request as the port's error. */
export function networkError(error: unknown, what: string): HubError {
  if (error instanceof HubError) return error;
  if (isTimeout(error))
    return new HubError("Timeout", `${what}: the hub did not respond in time (${textOf(error)})`);
  return new HubError("Unavailable", `${what}: the hub cannot be reached (${textOf(error)})`);
}
