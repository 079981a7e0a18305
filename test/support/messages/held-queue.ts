import type { OutgoingMessage, Queue } from "#shared/ports/queue.ts";
import { sendingQueue } from "./sending-queue.ts";

type Request = Readonly<{ bodies: readonly string[]; take(): void; refuse(): void }>;

/** A queue that accepts a request only when the test says so, and records what it accepted. */
export function heldQueue(name = "work") {
  const requests: Request[] = [];
  const taken: string[] = [];
  let isOpen = false;
  let wake = Promise.withResolvers<void>();

  const send = (messages: readonly OutgoingMessage[]) =>
    new Promise<void>((resolve, reject) => {
      const bodies = messages.map(({ body }) => body);
      let isSettled = false;
      const request: Request = {
        bodies,
        take() {
          if (isSettled) return;
          isSettled = true;
          taken.push(...bodies);
          resolve();
        },
        refuse() {
          isSettled = true;
          reject(new Error(`${name} is down`));
        },
      };
      requests.push(request);
      if (isOpen) request.take();
      wake.resolve();
      wake = Promise.withResolvers();
    });

  const queue: Queue = sendingQueue(name, send);

  return {
    queue,
    /** All requests so far, including those that were answered. */
    requests,
    taken,
    /** Accepts everything from now on, and the pending requests. */
    open(): void {
      isOpen = true;
      for (const request of requests) request.take();
    },
    /** The request of this number, 0 first, as soon as it has arrived. */
    async request(index: number): Promise<Request> {
      for (;;) {
        const found = requests[index];
        if (found) return found;
        await wake.promise;
      }
    },
  };
}
