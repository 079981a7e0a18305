import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { displayName } from "../domain/kubernetes/object.ts";
import { parseHubEvent } from "../domain/plan/hub-event.ts";
import type { HubReader } from "../ports/hub.ts";
import type { OutgoingMessage, Queue } from "../ports/queue.ts";
import type { Watches } from "./controller.ts";
import { watchesFor } from "./references.ts";

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** The key that a message maps to, and the object that it names. */
type About = Readonly<{ key: string; object: string }>;

/** The bodies of messages for one key, the newest about each object: a newer hint supersedes an older one. */
type Joined = Map<string, string>;

export type MergedQueue = Readonly<{
  queue: Queue;
  /** Returns a handler that gets each received message together with those that joined it. */
  handling(handle: Handler): Handler;
}>;

/**
 * Merges the messages for one key that wait in a queue of this process: the first is sent, and the others join it until it
 * is received, so that one reconcile serves all of them. Messages about a source, with many keys, are not merged.
 */
export function mergedQueue(queue: Queue, watches: Pick<Watches, "watches">, hub: HubReader): MergedQueue {
  /** By key: the bodies that joined the waiting message. */
  const waiting = new Map<string, Joined>();
  /** By message id: the bodies that joined a received message, until it is handled. */
  const received = new Map<string, Joined>();

  async function aboutOf(body: string): Promise<About | undefined> {
    const parsed = parseHubEvent(body);
    if (!parsed.ok || parsed.event.trigger !== "object") return undefined;
    const { reference } = parsed.event;
    const found = watchesFor(watches, reference);
    if (found.some(({ sourceOf }) => sourceOf)) return undefined;
    try {
      const keys = await Promise.all(found.map(({ mapToKeys }) => mapToKeys(reference, hub)));
      if (keys.flat().length === 0) return undefined;
      return {
        key: JSON.stringify(keys.flat()),
        object: JSON.stringify([displayName(reference), reference.cluster]),
      };
    } catch {
      return undefined; // the handler reports it
    }
  }

  async function send(messages: readonly OutgoingMessage[]): Promise<void> {
    const all = await Promise.all(
      messages.map(async (message) => {
        const isPlain = message.delaySeconds === undefined && message.attributes === undefined;
        return { message, about: isPlain ? await aboutOf(message.body) : undefined };
      }),
    );
    const first: string[] = [];
    const sent = all.flatMap(({ message, about }) => {
      const joined = about && waiting.get(about.key);
      if (joined) {
        joined.set(about.object, message.body);
        return [];
      }
      if (about) {
        waiting.set(about.key, new Map());
        first.push(about.key);
      }
      return [message];
    });
    try {
      if (sent.length > 0) await queue.send(sent);
    } catch (error) {
      // The sender repeats all of them.
      for (const key of first) waiting.delete(key);
      throw error;
    }
  }

  return {
    queue: { ...queue, send },

    handling: (handle) => async (event, context) => {
      const records = await Promise.all(
        event.Records.map(async (record) => {
          const { messageId, body } = record;
          const { key = "" } = (await aboutOf(body)) ?? {};
          const joined = new Map([...(received.get(messageId) ?? []), ...(waiting.get(key) ?? [])]);
          waiting.delete(key);
          if (joined.size > 0) received.set(messageId, joined);
          // Bodies that joined a message get its id: it is redelivered when one of them fails.
          return [record, ...joined.values().map((other) => ({ ...record, body: other }))];
        }),
      );
      const response = await handle({ Records: records.flat() }, context);
      const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId } of event.Records) if (!failed.has(messageId)) received.delete(messageId);
      return response;
    },
  };
}
