import { readFile } from "node:fs/promises";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";

/** A request as the API server has recorded it. */
export type AuditEvent = Readonly<{
  user: string;
  /** The user that it impersonates; empty for none. */
  actsAs: string;
  userAgent: string;
  verb: string;
  /** `imagedigestmirrorsets`, or `imagedigestmirrorsets/status`; empty for non-resource requests. */
  resource: string;
  group: string;
  namespace: string;
  name: string;
  uri: string;
  status: number;
  /** Why the request failed, in the server's words; empty when it did not. */
  message: string;
}>;

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

function auditEvent(line: string): AuditEvent {
  const value: unknown = JSON.parse(line);
  const fields = isRecord(value) ? value : {};
  const user = isRecord(fields.user) ? fields.user : {};
  const impersonated = isRecord(fields.impersonatedUser) ? fields.impersonatedUser : {};
  const object = isRecord(fields.objectRef) ? fields.objectRef : {};
  const response = isRecord(fields.responseStatus) ? fields.responseStatus : {};
  return {
    user: textOf(user.username),
    actsAs: textOf(impersonated.username),
    userAgent: textOf(fields.userAgent),
    verb: textOf(fields.verb),
    resource: [object.resource, object.subresource].filter(Boolean).join("/"),
    group: textOf(object.apiGroup),
    namespace: textOf(object.namespace),
    name: textOf(object.name),
    uri: textOf(fields.requestURI),
    status: typeof response.code === "number" ? response.code : 0,
    message: textOf(response.message),
  };
}

/** Returns all requests that a hub's API server has recorded so far; a watch occurs twice, at its start and its end. */
export async function readAuditLog(file: string): Promise<readonly AuditEvent[]> {
  const text = await readFile(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean)
    .map(auditEvent);
}

/**
 * Returns the requests that were refused for who sent them or for their form (401, 403, 422), a line for each kind of
 * refusal with its number. The status for a namespace that is being deleted is 403 as well: such a refusal passes with
 * the namespace, and is left out.
 */
export function refusedRequests(audited: readonly AuditEvent[]): string {
  const lines = audited
    .filter(({ status, message }) => [401, 403, 422].includes(status) && !/being terminated/.test(message))
    .map(({ user, verb, uri, status, message }) => `${user}: ${verb} ${uri}: ${status} ${message}`);
  return Object.entries(Object.groupBy(lines, (line) => line))
    .map(([line, same = []]) => `${line} (${same.length} times)`)
    .join("\n");
}
