import { readFile } from "node:fs/promises";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { TestCluster } from "../clusters/cluster.ts";
import type { Sample } from "./raw-get.ts";

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

/** Numbers of requests, by verb and resource: `create manifestworks`. */
export type RequestCounts = Readonly<Record<string, number>>;

/** The requests of some users since a moment, counted in two independent ways. */
export type CountedRequests = Readonly<{
  /** As the API server's audit log has them, with their users. A watch occurs at its start and at its end. */
  audited: RequestCounts;
  auditedTotal: number;
  /**
   * As `apiserver_request_total` has them: requests of the same verbs and resources, less those of other users in the
   * audit log. Watches are excluded: the metric counts them when they end. It has no requests for kinds that the server
   * does not serve, so those are taken from the audit log.
   */
  meteredTotal: number;
}>;

/** The verbs of the metric, by those of the audit log. */
const meteredVerbs: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};

const keyOf = ({ verb, group, resource }: Pick<AuditEvent, "verb" | "group" | "resource">) =>
  `${meteredVerbs[verb] ?? verb} ${group}/${resource}`;

function meteredKey({ labels }: Sample): string {
  const { verb, group, resource, subresource } = labels;
  return `${verb} ${group}/${[resource, subresource].filter(Boolean).join("/")}`;
}

function tally(keys: readonly string[]): RequestCounts {
  return Object.fromEntries(
    [...Map.groupBy(keys, (key) => key)].map(([key, some]) => [key, some.length] as const).sort(),
  );
}

const sumOf = (counts: RequestCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

async function metered({ metrics }: TestCluster): Promise<ReadonlyMap<string, number>> {
  const samples = (await metrics()).filter(({ name }) => name === "apiserver_request_total");
  const byKey = Map.groupBy(samples, meteredKey);
  return new Map([...byKey].map(([key, some]) => [key, some.reduce((sum, { value }) => sum + value, 0)]));
}

/** Starts counting the requests that `isOwn` users send to a cluster's API; call the result at the end. */
export async function countRequests(
  cluster: TestCluster,
  isOwn: (user: string) => boolean,
): Promise<() => Promise<CountedRequests>> {
  const auditedBefore = (await readAuditLog(cluster.auditLog)).length;
  const meteredBefore = await metered(cluster);
  return async () => {
    const meteredAfter = await metered(cluster);
    const events = (await readAuditLog(cluster.auditLog)).slice(auditedBefore);
    const own = events.filter(({ user }) => isOwn(user));
    const keys = new Set(own.filter(({ verb }) => meteredVerbs[verb]).map(keyOf));
    const ofOthers = events.filter((event) => !isOwn(event.user) && keys.has(keyOf(event))).length;
    const all = [...keys].map((key) => (meteredAfter.get(key) ?? 0) - (meteredBefore.get(key) ?? 0));
    const unserved = own.filter(
      (event) => meteredVerbs[event.verb] && !meteredAfter.has(keyOf(event)),
    ).length;
    const audited = tally(own.map(({ verb, resource }) => `${verb} ${resource}`));
    return {
      audited,
      auditedTotal: sumOf(audited),
      meteredTotal: all.reduce((sum, count) => sum + count, 0) - ofOthers + unserved,
    };
  };
}
