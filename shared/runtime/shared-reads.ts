import type { Hub } from "../ports/hub.ts";

/**
 * Returns a read that runs once at a time for the same arguments. Callers that arrive while one runs share the read after
 * it, since the running one may be older than what they have already read.
 */
function oneAtATime<Args extends readonly unknown[], Result>(
  read: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>();
  const next = new Map<string, Promise<Result>>();

  async function start(name: string, args: Args): Promise<Result> {
    next.delete(name);
    const reading = read(...args);
    underWay.set(name, reading);
    try {
      return await reading;
    } finally {
      if (underWay.get(name) === reading) underWay.delete(name);
    }
  }

  return (...args) => {
    const name = JSON.stringify(args);
    const current = underWay.get(name);
    if (!current) return start(name, args);
    const begin = () => start(name, args);
    const shared = next.get(name) ?? current.then(begin, begin);
    next.set(name, shared);
    return shared;
  };
}

/**
 * Returns the hub with reads that concurrent reconciles share: those of one batch read the same mirrors at nearly the same
 * time. What they get is shared too, so it must not be changed.
 */
export function sharedReads(hub: Hub): Hub {
  const list = oneAtATime(hub.list);
  return {
    ...hub,
    get: oneAtATime(hub.get),
    // Functions cannot be compared.
    list: (kind, options) => (options?.keep ? hub.list(kind, options) : list(kind, options)),
  };
}
