import type { Context } from "aws-lambda";
import { controllers } from "#functions/controllers.ts";
import { resync } from "#functions/resync/resync.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { quietPorts } from "../../../support/messages/quiet-ports.ts";
import { sendingQueue } from "../../../support/messages/sending-queue.ts";
import { aRecord } from "../../../support/messages/sqs-record.ts";
import { precachingPorts } from "../../../support/precache/precaching-ports.ts";

/** Names everything that the functions reconcile, and has them handle it and what follows from it, at this time. */
export async function tick(hub: Hub, now: Date, external: ExternalPorts = precachingPorts): Promise<void> {
  const waiting = new Map<string, string[]>(controllers.map(({ queue }) => [queue, []]));
  const postponed = new Set<string>();
  const queueNamed = (name: string): Queue =>
    sendingQueue(name, async (messages) => {
      for (const { body, delaySeconds = 0 } of messages) {
        // What is sent for later comes at once, but does not follow from itself.
        if (delaySeconds === 0 || !postponed.has(body)) waiting.get(name)?.push(body);
        if (delaySeconds > 0) postponed.add(body);
      }
    });
  await resync(hub, controllers, queueNamed);
  for (let isWorking = true; isWorking; ) {
    isWorking = false;
    for (const controller of controllers) {
      const bodies = waiting.get(controller.queue)?.splice(0) ?? [];
      if (bodies.length === 0) continue;
      isWorking = true;
      const ports = {
        ...quietPorts(hub, () => now),
        external,
        queue: queueNamed(controller.queue),
        queueNamed,
        deadLetters: queueNamed("dead letters"),
      };
      // What fails is received again by a later process.
      await hubEventHandler(controller, ports)(
        { Records: bodies.map((body, index) => aRecord(`m${index}`, body)) },
        {} as Context,
      );
    }
  }
}
