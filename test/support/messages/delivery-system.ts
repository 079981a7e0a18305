import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import { type ExternalPorts, noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { OutcomeTopicError } from "#shared/ports/outcome-topic.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { precacheSystem } from "../precache/precache-system.ts";

/** One function that receives only the messages of a test, with a topic that can be down. */
export function deliverySystem(controller: Controller, external: ExternalPorts = noExternalPorts) {
  let isTopicDown = false;
  let raced: Hub | undefined;
  const system = precacheSystem(undefined, [controller], (ports) => ({
    ...ports,
    external,
    hub: raced ?? ports.hub,
    outcomes: {
      async publish(events) {
        if (isTopicDown) throw new OutcomeTopicError("PublishFailed", "the topic is down");
        await ports.outcomes.publish(events);
      },
    },
  }));
  system.forward(false);
  return {
    ...system,
    published: system.outcomes,
    messages: system.queues.get(controller.queue) ?? [],
    /** A process with its own memory, on this hub or on one that a test has put before it. */
    aProcess(hub?: Hub) {
      const process = {};
      return {
        /** Handles what is due; a process that is killed after this many requests leaves its messages in the queue. */
        async step(killedAfter?: number): Promise<Readonly<{ isKilled: boolean }>> {
          raced = hub;
          await system.step(controller, { batchSize: 10, process }, killedAfter);
          return { isKilled: system.wasKilled() };
        },
      };
    },
    /** Sends an event about the object: an update, or an `add` as the resync tick sends it. */
    notify(reference: ObjectReference, verb: "add" | "update" = "update"): void {
      const event = hubEvent(verb, reference, { source: "urn:test:hub" });
      system.deliver(controller.queue, JSON.stringify(event));
    },
    topicIs(state: "up" | "down"): void {
      isTopicDown = state === "down";
    },
  };
}
