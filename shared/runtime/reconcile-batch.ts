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

/** A call during a read waits for the next read, since the present read may return an older state. */
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

/** Returns the hub with reads that concurrent reconciles share. Callers must not modify the shared results. */
export function sharedReads(hub: Hub): Hub {
  const list = oneAtATime(hub.list);
  return {
    ...hub,
    get: oneAtATime(hub.get),
    // Functions cannot be compared, so lists with the function `keep` are not shared.
    list: (kind, options) => (options?.keep ? hub.list(kind, options) : list(kind, options)),
  };
}

const maxVersions = 1_000;

/**
 * Remembers the versions of objects that this process has written. `isEcho` reports whether an event is only about such
 * a version. Resync ticks use the verb `add`, for which `isEcho` returns false.
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

function correlated<Needed extends keyof ExternalPorts>(
  ports: Ports<Needed>,
  correlationId: string,
): Ports<Needed> {
  return { ...ports, log: (entry) => ports.log({ ...entry, correlationId }), correlationId };
}

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

/** Returns a function that reconciles each key of a batch once, and returns the ids of the messages to redeliver. */
export function batchReconciler<Needed extends keyof ExternalPorts>(
  controller: Controller<Needed>,
  ports: Ports<Needed>,
): (batch: ReadBatch) => Promise<readonly string[]> {
  const outcomes = owedOutcomes(ports.outcomes);
  const own = ownWrites();
  const mapMessages = messageMapper(controller, ports, own.isEcho);

  /** Leaves out sources and objects of other keys, because their events must still trigger a reconcile. */
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
      // After a failed write, events about this key must still cause a reconcile.
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
