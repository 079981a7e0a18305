import type { Hub } from "#shared/ports/hub.ts";

/** A hub whose requests are counted by verb; a watch counts as one, however long it lasts. */
export function countedHub(hub: Hub): Readonly<{ hub: Hub; requests: ReadonlyMap<string, number> }> {
  const requests = new Map<string, number>();
  const counted = <Result>(verb: string, request: () => Result): Result => {
    requests.set(verb, (requests.get(verb) ?? 0) + 1);
    return request();
  };
  return {
    requests,
    hub: {
      id: hub.id,
      get: (...args) => counted("get", () => hub.get(...args)),
      list: (...args) => counted("list", () => hub.list(...args)),
      create: (object) => counted("create", () => hub.create(object)),
      update: (object) => counted("update", () => hub.update(object)),
      updateStatus: (object) => counted("update-status", () => hub.updateStatus(object)),
      delete: (reference) => counted("delete", () => hub.delete(reference)),
      watch: (...args) => counted("watch", () => hub.watch(...args)),
    },
  };
}
