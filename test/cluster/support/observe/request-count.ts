import type { TestCluster } from "../clusters/cluster.ts";
import { type AuditEvent, readAuditLog } from "./audit-log.ts";
import type { Sample } from "./metrics.ts";

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
