import type { SQSRecord } from "aws-lambda";
import type { ObjectReference } from "../domain/kubernetes/object.ts";
import type { HubEvent } from "../domain/plan/hub-event.ts";
import type { FailedPart, Plan } from "../domain/plan/plan.ts";
import type { ExternalPorts } from "../ports/external-ports.ts";
import type { Hub } from "../ports/hub.ts";
import type { Ports } from "../ports/ports.ts";
import type { Controller } from "./controller.ts";
import type { ReadBatch } from "./hub-event-reader.ts";
import { type KeyedMessage, messageMapper } from "./map-messages.ts";
import { reconcile } from "./reconcile.ts";
import { dueAt, postpone, publishLater, repeatedSince, requeue } from "./redelivery.ts";
import { watchesFor } from "./references.ts";
import { owedOutcomes } from "./topics/owed-outcomes.ts";

/**
 * Returns a function that never runs `read` twice at the same time with the same arguments. All calls during a read
 * share the next read, because the current read may return an older state than its caller has already seen.
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
 * Returns the hub with reads that concurrent reconciles share: the reconciles of a batch read the same mirrors at nearly the
 * same time. The shared results must not be modified.
 */
export function sharedReads(hub: Hub): Hub {
  const list = oneAtATime(hub.list);
  return {
    ...hub,
    get: oneAtATime(hub.get),
    // Lists with `keep` are not shared, since two functions cannot be compared.
    list: (kind, options) => (options?.keep ? hub.list(kind, options) : list(kind, options)),
  };
}

/** The limit for remembered versions. Events arrive within seconds; a forgotten version costs only one reconcile. */
const maxVersions = 1_000;

/**
 * Remembers the versions of objects that this process has written. An `update` event with such a version needs no
 * reconcile: deciding again after a plan was applied gives no actions, and later changes have their own events. Events
 * with the verb `add` are not ignored, since the resync tick requests reconciles with them.
 */
export function ownWrites(): Readonly<{
  note(written: ObjectReference): void;
  isEcho(event: Pick<HubEvent, "verb" | "reference">): boolean;
}> {
  // An LRU cache would reserve its space for each handler, and most handlers write little.
  const versions = new Map<string, string>();
  return {
    note({ uid, resourceVersion }) {
      if (!uid || !resourceVersion) return;
      versions.delete(uid);
      versions.set(uid, resourceVersion);
      const [oldest = ""] = versions.keys();
      if (versions.size > maxVersions) versions.delete(oldest);
    },
    isEcho: ({ verb, reference: { uid, resourceVersion } }) =>
      verb === "update" &&
      uid !== undefined &&
      resourceVersion !== undefined &&
      versions.get(uid) === resourceVersion,
  };
}

/** Returns ports that add the id of the triggering event to all logs, messages and outcomes of one reconcile. */
function correlated<Needed extends keyof ExternalPorts>(
  ports: Ports<Needed>,
  correlationId: string,
): Ports<Needed> {
  return { ...ports, log: (entry) => ports.log({ ...entry, correlationId }), correlationId };
}

/** Returns the parts that messages ask for, each once; undefined if a message asks for the whole key. */
function partsOf(messages: readonly KeyedMessage[]): readonly string[] | undefined {
  const parts = messages.flatMap(({ key: { part } }) => part ?? []);
  return parts.length < messages.length ? undefined : [...new Set(parts)];
}

function failedMessages(
  messages: readonly KeyedMessage[],
  failed: readonly FailedPart[],
): ReadonlyMap<SQSRecord, unknown> {
  const found = new Map<SQSRecord, unknown>();
  for (const { part, error } of failed)
    for (const { record, key } of messages)
      if (key.part === undefined || key.part === part) found.set(record, error);
  return found;
}

const isEmpty = ({ guard, actions, sends = [] }: Plan): boolean =>
  guard === undefined && actions.length + sends.length === 0;

/**
 * Returns the handler of a batch of hub events: it reconciles each key once, however many messages ask for it, and
 * returns the ids of the messages to redeliver. The failure of a key affects only the messages of this key.
 */
export function batchReconciler<Needed extends keyof ExternalPorts>(
  controller: Controller<Needed>,
  ports: Ports<Needed>,
): (batch: ReadBatch) => Promise<readonly string[]> {
  const outcomes = owedOutcomes(ports.outcomes);
  const own = ownWrites();
  const mapMessages = messageMapper(controller, ports, own.isEcho);

  /** Remembers the written versions of objects that map to this key, so that events about them are ignored. */
  const noteWrites = async (
    name: string,
    written: Awaited<ReturnType<typeof reconcile>>["written"],
  ): Promise<void> => {
    for (const reference of written)
      for (const { sourceOf, mapToKeys } of watchesFor(controller, reference)) {
        const keys = sourceOf ? [] : await mapToKeys(reference, ports.hub);
        if (keys.some((key) => key.name === name)) own.note(reference);
      }
  };

  const reconcileKey = async (
    key: string,
    messages: readonly KeyedMessage[],
    hub: Ports["hub"],
  ): Promise<readonly SQSRecord[]> => {
    const started = ports.now().getTime();
    // If several events are about one key, the key's outcomes get the id of the first event.
    const [correlationId = "", ...others] = messages.map(({ event }) => event.correlationId);
    const joined = [...new Set(others)].filter((id) => id !== correlationId);
    const keyPorts = correlated({ ...ports, hub, outcomes }, correlationId);
    const records = messages.map(({ record }) => record);
    try {
      const { plan, failed, written, unpublished } = await reconcile(controller, key, keyPorts, {
        parts: partsOf(messages),
        repeatedSince: repeatedSince(records),
        isAccepted: outcomes.isAccepted,
      });
      // After a failed write, events of the same key still matter and must not be ignored.
      if (failed.length === 0) await noteWrites(key, written);
      if (plan.requeueAt) await requeue(key, records, plan.requeueAt, keyPorts);
      const ended = ports.now().getTime();
      keyPorts.log({
        event: "reconciled",
        key,
        messages: records.length,
        durationMs: ended - started,
        ageMs: ended - Math.min(...records.map(dueAt)),
        ...(joined.length > 0 ? { joined } : {}),
        ...(isEmpty(plan) ? { isUnchanged: true } : {}),
      });
      if (unpublished && !(await publishLater(key, records, unpublished, keyPorts))) return records;
      const again = failedMessages(messages, failed);
      await Promise.all([...again].map(([record, error]) => postpone(key, [record], error, keyPorts)));
      return [...again.keys()];
    } catch (error) {
      await postpone(key, records, error, keyPorts);
      return records;
    }
  };

  return async ({ messages }) => {
    const { keyed, failed } = await mapMessages(messages);
    const byName = Map.groupBy(keyed, ({ key }) => key.name);
    const hub = sharedReads(ports.hub);
    const again = await Promise.all([...byName].map(([name, some]) => reconcileKey(name, some, hub)));
    return [...new Set([...failed, ...again.flat()].map(({ messageId }) => messageId))];
  };
}
