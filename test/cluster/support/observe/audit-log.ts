import { readFile } from "node:fs/promises";
import { isRecord } from "#shared/domain/json/values.ts";

/** A request as the API server has recorded it. */
export type AuditEvent = Readonly<{
  user: string;
  userAgent: string;
  verb: string;
  /** `imagedigestmirrorsets`, or `imagedigestmirrorsets/status`; empty for non-resource requests. */
  resource: string;
  group: string;
  namespace: string;
  name: string;
  uri: string;
  status: number;
}>;

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

function auditEvent(line: string): AuditEvent {
  const value: unknown = JSON.parse(line);
  const fields = isRecord(value) ? value : {};
  const user = isRecord(fields.user) ? fields.user : {};
  const object = isRecord(fields.objectRef) ? fields.objectRef : {};
  const response = isRecord(fields.responseStatus) ? fields.responseStatus : {};
  return {
    user: textOf(user.username),
    userAgent: textOf(fields.userAgent),
    verb: textOf(fields.verb),
    resource: [object.resource, object.subresource].filter(Boolean).join("/"),
    group: textOf(object.apiGroup),
    namespace: textOf(object.namespace),
    name: textOf(object.name),
    uri: textOf(fields.requestURI),
    status: typeof response.code === "number" ? response.code : 0,
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
