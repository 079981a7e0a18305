import type { Queue } from "#shared/ports/queue.ts";

/** A queue that accepts messages and never returns any. */
export function sendingQueue(name: string, send: Queue["send"]): Queue {
  return {
    name,
    url: `http://127.0.0.1/000000000000/${name}`,
    send,
    receive: async () => [],
    delete: async () => undefined,
    changeVisibility: async () => undefined,
    depth: async () => ({ visible: 0, inFlight: 0, delayed: 0 }),
  };
}
