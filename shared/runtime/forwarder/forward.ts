import { hubEvent, type Verb } from "../../domain/events/hub-event.ts";
import { displayName, type Kind, type ObjectReference, referenceTo } from "../../domain/kubernetes/object.ts";
import type { Hub, ObjectChange, WatchOptions } from "../../ports/hub.ts";
import type { Log } from "../../ports/log.ts";
import type { OutgoingMessage, Queue } from "../../ports/queue.ts";
import type { Watch, Watches } from "../controller.ts";
import { changeFilter } from "./change-filter.ts";
import { type Debounced, debounce } from "./debounce.ts";
import { type Outbox, type OutboxOptions, outbox } from "./outbox.ts";

/** How long messages that still wait may take after the end. */
const closeTimeoutMs = 5_000;

/** One watch of a function: which changes it gets, and where to. */
type Follower = Readonly<{
  watch: Watch;
  queue: string;
  isChange(change: ObjectChange, exists: boolean): boolean;
  /** Collects the changes of a source. */
  debounced: Debounced | undefined;
}>;

/** A connection to the hub: one kind with one selection, for all functions that watch it. */
type Connection = Readonly<{ kind: Kind; options: WatchOptions; followers: readonly Follower[] }>;

/** What the hub selects by; a function of names is left to the forwarder. */
function hubSelection({ selector: { withLabel, withoutLabel, name } = {} }: Watch): WatchOptions {
  return {
    ...(withLabel ? { withLabel } : {}),
    ...(withoutLabel ? { withoutLabel } : {}),
    ...(typeof name === "string" ? { name } : {}),
  };
}

/** The attributes of the messages about what existed before the start. */
export type InitialAttributes = NonNullable<OutgoingMessage["attributes"]>;

/** Whole objects are transferred only where a fingerprint may read more than their metadata. */
function connectionsOf(followers: readonly Follower[]): readonly Connection[] {
  const connections = Map.groupBy(followers, ({ watch }) =>
    JSON.stringify([watch.kind, hubSelection(watch)]),
  );
  return [...connections.values()].flatMap((shared) => {
    const [first] = shared;
    if (!first) return [];
    const isRead = shared.some(({ watch }) => (watch.fingerprint && !watch.metadataOnly) || watch.refersTo);
    const options = { ...hubSelection(first.watch), ...(isRead ? {} : { metadataOnly: true }) };
    return [{ kind: first.watch.kind, options, followers: shared }];
  });
}

function identityOf(reference: ObjectReference): string {
  return `${reference.apiVersion} ${displayName(reference)} ${reference.cluster ?? ""}`;
}

/** Returns the function that puts a hint about an object into the outboxes of some queues. */
function sendHints(hubId: string, boxes: ReadonlyMap<string, Outbox>, log: Log) {
  return async (
    verb: Verb,
    reference: ObjectReference,
    queues: ReadonlySet<string>,
    {
      changed = reference,
      attributes,
    }: Readonly<{ changed?: ObjectReference; attributes?: InitialAttributes | undefined }> = {},
  ): Promise<void> => {
    if (queues.size === 0) return;
    // The event's id identifies the change: it is that of the changed object, whatever the event names.
    const { id } = hubEvent(verb, changed, { source: hubId });
    const event = { ...hubEvent(verb, reference, { source: hubId }), id };
    const subject = displayName(changed);
    log({ event: "noticed", subject, verb, queues: [...queues], correlationId: event.id });
    const body = JSON.stringify(event);
    for (const name of queues)
      await boxes.get(name)?.put(identityOf(reference), { body, ...(attributes ? { attributes } : {}) });
  };
}

/**
 * Sends every change that is relevant to one of these functions to its queue as a hub event, until the signal aborts.
 * Starts with an `add` for every existing object that is no source: a forwarder that replaces a killed one repeats
 * rather than misses changes. A queue that does not accept its messages blocks the watch, so memory stays bounded.
 * Returns how many messages were left unsent in the end.
 */
export async function forwardChanges({
  hub,
  allWatches,
  queue,
  signal,
  log,
  sending = {},
  delay,
  initialAttributes,
}: Readonly<{
  hub: Hub;
  allWatches: readonly Watches[];
  queue: (name: string) => Queue;
  signal: AbortSignal;
  log: Log;
  sending?: Pick<OutboxOptions, "capacity" | "lanes" | "retryMs">;
  /** Waits between the changes of sources; replaced in tests. */
  delay?: (ms: number) => Promise<void>;
  initialAttributes?: InitialAttributes;
}>): Promise<number> {
  const names = [...new Set(allWatches.map((watches) => watches.queue))];
  const boxes = new Map<string, Outbox>(
    names.map((name) => [name, outbox({ ...sending, queue: queue(name), signal, log })]),
  );
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);

  const send = sendHints(hub.id, boxes, log);

  const followers = allWatches.flatMap(({ queue: name, watches }): readonly Follower[] => {
    const debounced = debounce({
      signal: either,
      delay,
      async pass(changes) {
        for (const { verb, reference } of changes) await send(verb, reference, new Set([name]));
      },
    });
    return watches.map((watch) => ({
      watch,
      queue: name,
      isChange: changeFilter(watch),
      debounced: watch.sourceOf && !watch.refersTo ? debounced : undefined,
    }));
  });
  const connections = connectionsOf(followers);
  let unsynced = connections.length;

  /**
   * Logs `synced` when the last watch has reported all existing objects and they were sent. No watch waits for that: a
   * queue that accepts nothing must not keep back the changes for the others.
   */
  async function hasSynced(): Promise<void> {
    if (--unsynced > 0) return;
    await Promise.all([...boxes.values()].map((box) => box.drained()));
    if (either.aborted) return;
    log({ event: "synced", kinds: connections.map(({ kind }) => kind.kind) });
  }

  /** Passes on the changes of one connection; when one ends or fails, all end. */
  async function follow({ kind, options, followers: all }: Connection): Promise<void> {
    let isSynced = false;
    try {
      for await (const change of hub.watch([kind], either, options)) {
        if (change.verb === "synced") {
          isSynced = true;
          void hasSynced();
          continue;
        }
        const { verb, object } = change;
        const interested = all.filter(({ isChange }) => isChange(change, !isSynced));
        if (isSynced) for (const { debounced } of interested) debounced?.put(change);
        const changed = referenceTo(object);
        const direct = interested.filter(({ debounced, watch }) => !debounced && !watch.refersTo);
        const attributes = isSynced ? undefined : initialAttributes;
        await send(verb, changed, new Set(direct.map((one) => one.queue)), { attributes });
        for (const { watch, queue: name } of interested) {
          const isForwarded = isSynced || !watch.sourceOf;
          const owner = isForwarded ? watch.refersTo?.(object, isSynced ? verb : undefined) : undefined;
          if (owner) await send(verb, owner, new Set([name]), { changed, attributes });
        }
      }
    } finally {
      ended.abort();
    }
  }

  let unsent: readonly number[] = [];
  try {
    await Promise.all(connections.map(follow));
  } finally {
    unsent = await Promise.all([...boxes.values()].map((box) => box.close(closeTimeoutMs)));
  }
  return unsent.reduce((sum, count) => sum + count, 0);
}
