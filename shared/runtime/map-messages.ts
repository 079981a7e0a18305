import type { SQSRecord } from "aws-lambda";
import type { Kind } from "../domain/kubernetes/object.ts";
import { type HubEvent, hubEvent } from "../domain/plan/hub-event.ts";
import { sentence } from "../domain/text/redact.ts";
import type { HubReader } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import type { Key, Watches } from "./controller.ts";
import type { ReadMessage } from "./hub-event-reader.ts";
import { postpone } from "./redelivery.ts";
import { keyReference, watchesFor } from "./references.ts";

/** A message, and one key to reconcile because of its event. */
export type KeyedMessage = Readonly<{ record: SQSRecord; key: Key; event: HubEvent }>;

/** The messages of a batch that have a key, and the messages to redeliver because they could not be mapped to keys. */
export type MappedBatch = Readonly<{ keyed: readonly KeyedMessage[]; failed: readonly SQSRecord[] }>;

type MapperPorts = Pick<Ports, "hub" | "queue" | "log" | "now" | "onRefused">;

type SourceMessage = Readonly<{ record: SQSRecord; event: HubEvent; kind: Kind; keys: readonly Key[] }>;

/** Serves one batch, whose messages were sent before the lists are read: so a list is new enough for all of them. */
function listingOnce(hub: HubReader): HubReader {
  const lists = new Map<string, ReturnType<HubReader["list"]>>();
  return {
    ...hub,
    list(kind, options) {
      const name = JSON.stringify([kind, options]);
      const listed = lists.get(name) ?? hub.list(kind, options);
      lists.set(name, listed);
      return listed;
    },
  };
}

/** Returns a function that maps a batch to keys. A message about a source is replaced by one message for each key. */
export function messageMapper(
  controller: Watches,
  { hub, queue, log, now, onRefused }: MapperPorts,
  isEcho: (event: HubEvent) => boolean,
): (messages: readonly ReadMessage[]) => Promise<MappedBatch> {
  const ports = { queue, log, now, onRefused };

  async function keysOf({ record, event }: ReadMessage, reader: HubReader) {
    const { messageId } = record;
    const { type, subject } = event;
    const isObject = event.trigger === "object";
    const eventId = isObject ? event.id : messageId;
    const correlationId = isObject ? event.correlationId : messageId;
    log({ event: "event-received", type, subject, messageId, eventId, correlationId });
    const ignored = (reason: string) => {
      log({ event: "event-ignored", type, subject, reason, correlationId });
      return { keyed: [], sources: [] };
    };
    if (!isObject) return ignored(sentence`not relevant to ${controller.name}`);
    if (isEcho(event)) return ignored(sentence`written by ${controller.name} itself`);
    const { reference } = event;
    const mapped = await Promise.all(
      watchesFor(controller, reference).map(async ({ sourceOf: kind, mapToKeys }) => {
        const keys = await mapToKeys(reference, reader);
        return { kind, keys };
      }),
    );
    if (mapped.every(({ keys }) => keys.length === 0))
      return ignored(sentence`not relevant to ${controller.name}`);
    return {
      keyed: mapped.flatMap(({ kind, keys }) => (kind ? [] : keys.map((key) => ({ record, key, event })))),
      sources: mapped.flatMap(({ kind, keys }) =>
        kind && keys.length > 0 ? [{ record, event, kind, keys }] : [],
      ),
    };
  }

  async function replace(sources: readonly SourceMessage[]): Promise<readonly SQSRecord[]> {
    const bodies = new Map<string, string>();
    const replaced = sources.map(({ event: { subject, correlationId }, kind, keys }) => {
      const before = bodies.size;
      for (const key of keys) {
        const derived = hubEvent("add", keyReference(kind, key), { source: hub.id });
        const name = JSON.stringify(derived);
        if (!bodies.has(name)) bodies.set(name, JSON.stringify({ ...derived, correlationid: correlationId }));
      }
      const count = bodies.size - before;
      return { event: "replaced", subject, queue: queue.name, messages: count, correlationId } as const;
    });
    const records = sources.map(({ record }) => record);
    try {
      if (bodies.size > 0) await queue.send([...bodies.values()].map((body) => ({ body })));
    } catch (error) {
      await postpone(controller.queue, records, error, ports);
      return records;
    }
    replaced.forEach(log);
    return [];
  }

  return async (messages) => {
    const reader = listingOnce(hub);
    const failed: SQSRecord[] = [];
    const mapped = await Promise.all(
      messages.map(async (message) => {
        try {
          return await keysOf(message, reader);
        } catch (error) {
          const { record } = message;
          failed.push(record);
          await postpone(record.messageId, [record], error, ports);
          return { keyed: [], sources: [] };
        }
      }),
    );
    failed.push(...(await replace(mapped.flatMap(({ sources }) => sources))));
    return { keyed: mapped.flatMap(({ keyed }) => keyed), failed };
  };
}
