import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { Hub } from "#shared/ports/hub.ts";

/** Requests that were made of a hub, by who asked, verb and kind: `precache-status: list PreCachingReport`. */
export type HubRequests = ReadonlyMap<string, number>;

/** Counts the requests of several askers; a watch counts as one, however long it lasts. */
export function requestCounter(hub: Hub): Readonly<{ as(asker: string): Hub; requests: HubRequests }> {
  const requests = new Map<string, number>();
  const as = (asker: string): Hub => {
    const note = (verb: string, { kind }: Pick<Kind, "kind">) => {
      const asked = `${asker}: ${verb} ${kind}`;
      requests.set(asked, (requests.get(asked) ?? 0) + 1);
    };
    const counted =
      <Of extends Pick<Kind, "kind">, Rest extends readonly unknown[], Result>(
        verb: string,
        request: (of: Of, ...rest: Rest) => Result,
      ) =>
      (of: Of, ...rest: Rest): Result => {
        note(verb, of);
        return request(of, ...rest);
      };
    return {
      id: hub.id,
      get: counted("get", hub.get),
      list: counted("list", hub.list),
      create: counted("create", hub.create),
      update: counted("update", hub.update),
      updateStatus: counted("update-status", hub.updateStatus),
      delete: counted("delete", hub.delete),
      watch(kinds, ...rest) {
        for (const kind of kinds) note("watch", kind);
        return hub.watch(kinds, ...rest);
      },
    };
  };
  return { as, requests };
}

/** How many of them have this verb; all without one. */
export function countOf(requests: HubRequests, verb = ""): number {
  const some = [...requests].filter(([asked]) => verb === "" || asked.split(" ")[1] === verb);
  return some.reduce((sum, [, count]) => sum + count, 0);
}
