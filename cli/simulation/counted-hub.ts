import type { Kind } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";

/** Numbers of requests to a hub. Keys have client, verb and kind, such as `precache-status: list PreCachingReport`. */
export type HubRequests = ReadonlyMap<string, number>;

/** Returns a counter of requests through the hubs that `as` returns, one hub for each client. */
export function requestCounter(hub: Hub): Readonly<{ as(client: string): Hub; requests: HubRequests }> {
  const requests = new Map<string, number>();
  const as = (client: string): Hub => {
    const note = (verb: string, { kind }: Pick<Kind, "kind">) => {
      const request = `${client}: ${verb} ${kind}`;
      requests.set(request, (requests.get(request) ?? 0) + 1);
    };
    const counted =
      <Of extends Pick<Kind, "kind">, Rest extends readonly unknown[], Result>(
        verb: string,
        send: (of: Of, ...rest: Rest) => Result,
      ) =>
      (of: Of, ...rest: Rest): Result => {
        note(verb, of);
        return send(of, ...rest);
      };
    return {
      id: hub.id,
      get: counted("get", hub.get),
      list: counted("list", hub.list),
      create: counted("create", hub.create),
      update: counted("update", hub.update),
      updateStatus: counted("update-status", hub.updateStatus),
      delete: counted("delete", hub.delete),
      watch: counted("watch", hub.watch),
    };
  };
  return { as, requests };
}

/** Returns the number of requests with this verb, or the number of all requests if `verb` is empty. */
export function countOf(requests: HubRequests, verb = ""): number {
  const some = [...requests].filter(([request]) => verb === "" || request.split(" ")[1] === verb);
  return some.reduce((sum, [, count]) => sum + count, 0);
}
