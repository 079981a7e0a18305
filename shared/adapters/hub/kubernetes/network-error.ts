import { redact } from "../../../domain/credentials/redact.ts";
import { HubError } from "../../../ports/hub.ts";
import { codeOf, isTimeout } from "../../network/network-trouble.ts";

const longestMessage = 160;

/** `connect ECONNREFUSED 192.0.2.1:6443`: what the socket says, with its code. Such messages hold no headers. */
function textOf(error: unknown): string {
  const code = codeOf(error);
  const [line = ""] = error instanceof Error ? redact(error.message).split(/[\r\n]/, 1) : [];
  return line.includes(code) ? line.slice(0, longestMessage) : `${code}: ${line.slice(0, longestMessage)}`;
}

/** A request that got no whole answer, as the port's error. */
export function networkError(error: unknown, what: string): HubError {
  if (error instanceof HubError) return error;
  if (isTimeout(error))
    return new HubError("Timeout", `${what}: the hub did not answer in time (${textOf(error)})`);
  return new HubError("Unavailable", `${what}: the hub cannot be reached (${textOf(error)})`);
}
