import type { Context, SQSRecord } from "aws-lambda";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { type ExternalPorts, noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub, HubChange } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { OutcomeTopicError } from "#shared/ports/outcome-topic.ts";
import type { OutgoingMessage, Queue } from "#shared/ports/queue.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { stepped } from "../hub/stepped.ts";
import { sendingQueue } from "./sending-queue.ts";
import { aRecord } from "./sqs-record.ts";

type Message = OutgoingMessage & { id: string; at: number; sentAt: number; receives: number };

const visibilityMs = 30_000;
const maxReceives = 10;

/**
 * One function on an in-memory hub, behind a queue with SQS's rules (visibility timeout, delays, ten receives and then
 * the dead letters) and a clock that a test moves. A process lives until a test kills it.
 */
export function deliverySystem(
  controller: Controller,
  {
    onChange = () => undefined,
    external = noExternalPorts,
  }: Readonly<{ onChange?(change: HubChange): void; external?: ExternalPorts }> = {},
) {
  let time = Date.parse("2026-03-01T02:00:00Z");
  let count = 0;
  let isTopicDown = false;
  /** Number of requests until the process is killed; later requests have no effect. */
  let lifetime = Number.POSITIVE_INFINITY;
  const live = <Result>(request: () => Promise<Result>): Promise<Result> =>
    --lifetime < 0 ? Promise.reject(new Error("killed")) : request();

  const now = () => new Date(time);
  const messages: Message[] = [];
  const dead: string[] = [];
  const published: OutcomeEvent[] = [];
  const entries: LogEntry[] = [];
  const own = memoryHub({ id: "urn:test:hub", now, onChange });

  function put(message: OutgoingMessage): void {
    const at = time + (message.delaySeconds ?? 0) * 1000;
    messages.push({ ...message, id: `m${count++}`, at, sentAt: time, receives: 0 });
  }
  const queue: Queue = {
    ...sendingQueue(controller.queue, (some) => live(async () => some.forEach(put))),
    changeVisibility: (handle, seconds) =>
      live(async () => {
        const found = messages.find(({ id }) => handle === `handle of ${id}`);
        if (found) found.at = time + seconds * 1000;
      }),
  };
  const recordOf = ({ id, body, attributes = {}, receives, sentAt }: Message): SQSRecord => ({
    ...aRecord(id, body, { receiveCount: receives, sentAt }),
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, stringValue]) => [name, { dataType: "String", stringValue }]),
    ),
  });

  /** A process with its own memory, on this hub or on one that a test has put before it. */
  function aProcess(hub: Hub = own) {
    const handler = hubEventHandler(controller, {
      hub: stepped(hub, live),
      external,
      queue,
      queueNamed: () => queue,
      deadLetters: sendingQueue("dead", async (some) => void dead.push(...some.map(({ body }) => body))),
      outcomes: {
        publish: (events) =>
          live(async () => {
            if (isTopicDown) throw new OutcomeTopicError("PublishFailed", "the topic is down");
            published.push(...events);
          }),
      },
      log: (entry) => entries.push(entry),
      now,
    });

    /** Handles what is due; a process that is killed after this many requests leaves its messages in the queue. */
    async function step(killedAfter = Number.POSITIVE_INFINITY): Promise<Readonly<{ isKilled: boolean }>> {
      const due = messages.filter(({ at }) => at <= time).slice(0, 10);
      for (const message of due) {
        message.at = time + visibilityMs;
        message.receives++;
        if (message.receives <= maxReceives) continue;
        dead.push(message.body);
        messages.splice(messages.indexOf(message), 1);
      }
      const received = due.filter((message) => messages.includes(message));
      if (received.length === 0) return { isKilled: false };
      lifetime = killedAfter;
      const { batchItemFailures } = await handler({ Records: received.map(recordOf) }, {} as Context);
      const isKilled = lifetime < 0;
      lifetime = Number.POSITIVE_INFINITY;
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const message of received)
        if (!isKilled && !failed.has(message.id)) messages.splice(messages.indexOf(message), 1);
      return { isKilled };
    }
    return { step };
  }

  return {
    hub: own,
    published,
    entries,
    messages,
    dead,
    aProcess,
    /** Sends an event about the object: an update, or an `add` as the resync tick sends it. */
    notify(reference: ObjectReference, verb: "add" | "update" = "update"): void {
      put({ body: JSON.stringify(hubEvent(verb, reference, { source: "urn:test:hub" })) });
    },
    pass(seconds: number): void {
      time += seconds * 1000;
    },
    topicIs(state: "up" | "down"): void {
      isTopicDown = state === "down";
    },
  };
}
