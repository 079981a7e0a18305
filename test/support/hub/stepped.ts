import type { Hub } from "#shared/ports/hub.ts";

export type Step = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a hub whose every request is a step. */
export function stepped(hub: Hub, step: Step): Hub {
  return {
    ...hub,
    get: (...args) => step(() => hub.get(...args)),
    list: (...args) => step(() => hub.list(...args)),
    create: (object) => step(() => hub.create(object)),
    update: (object) => step(() => hub.update(object)),
    updateStatus: (object) => step(() => hub.updateStatus(object)),
    delete: (reference) => step(() => hub.delete(reference)),
  };
}
