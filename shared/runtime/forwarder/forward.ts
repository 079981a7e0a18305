import { setTimeout as sleep } from "node:timers/promises";
import { displayName, type Kind, type ObjectReference, referenceTo } from "../../domain/kubernetes/object.ts";
import { hubEvent, type Verb } from "../../domain/plan/hub-event.ts";
import { type Hub, isRefused, type ObjectChange, type WatchOptions } from "../../ports/hub.ts";
import type { Log } from "../../ports/log.ts";
import { describeError, isRetryable } from "../../ports/port-error.ts";
import type { OutgoingMessage, Queue } from "../../ports/queue.ts";
import type { Watch, Watches } from "../controller.ts";
import { owedSinceAttributes } from "../redelivery.ts";
import { tickReferences } from "../references.ts";
import { refusedRetryMs } from "../refused-messages.ts";
import { changeFilter, type Debounced, debounce } from "./changes.ts";
import { type Outbox, type OutboxOptions, outbox } from "./outbox.ts";

/** How long messages may still be sent after the end of a term. */
const closeTimeoutMs = 5_000;
const listAgainMs = { first: 500, max: 30_000 };

type Follower = Readonly<{
  watch: Watch;
  queue: string;
  isChange(change: ObjectChange): boolean;
  debounced: Debounced | undefined;
}>;

type Connection = Readonly<{ kind: Kind; options: WatchOptions; followers: readonly Follower[] }>;

function hubSelection({ selector: { withLabel, withoutLabel, name } = {} }: Watch): WatchOptions {
  return {
    ...(withLabel ? { withLabel } : {}),
    ...(withoutLabel ? { withoutLabel } : {}),
    ...(typeof name === "string" ? { name } : {}),
  };
}

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

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

function sendHints(hubId: string, boxes: ReadonlyMap<string, Outbox>, log: Log) {
  return async (
    verb: Verb,
    reference: ObjectReference,
    queues: ReadonlySet<string>,
    {
      changed = reference,
      attributes,
    }: Readonly<{ changed?: ObjectReference; attributes?: OutgoingMessage["attributes"] }> = {},
  ): Promise<void> => {
    if (queues.size === 0) return;
    // The id identifies the change. So it is derived from the changed object, even if the event names the owner.
    const { id } = hubEvent(verb, changed, { source: hubId });
    const event = { ...hubEvent(verb, reference, { source: hubId }), id };
    const subject = displayName(changed);
    log({ event: "noticed", subject, verb, queues: [...queues], correlationId: event.id });
    const body = JSON.stringify(event);
    for (const name of queues)
      await boxes.get(name)?.put(identityOf(reference), { body, ...(attributes ? { attributes } : {}) });
  };
}

export type ForwarderOptions = Readonly<{
  hub: Hub;
  allWatches: readonly Watches[];
  signal: AbortSignal;
  log: Log;
  /** Waits while changes of sources are collected. Tests replace this function. */
  delay?: (ms: number) => Promise<void>;
  /** Returns the current time. If set, the start of a term leaves out the keys that `ticks` finds unchanged. */
  now?: () => Date;
}>;

/** A period in which the forwarder sends changes. It ends when `signal` aborts or the watches end. */
export type Term = Readonly<{
  queue: (name: string) => Queue;
  signal: AbortSignal;
  sending?: Pick<OutboxOptions, "capacity" | "retryMs">;
  owedSince?: Date | undefined;
}>;

export type Forwarder = Readonly<{
  watch(): void;
  /** Sends changes until the term ends. Returns the number of messages that could not be sent. */
  forward(term: Term): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

/**
 * Returns a forwarder, which sends a hub event to a function's queue for every relevant change. Each term starts with
 * one event for each key, except unchanged keys, so that no change between two terms is missed. A queue that accepts no
 * messages blocks the watches, which limits memory.
 */
export function forwarder({ hub, allWatches, signal, log, delay, now }: ForwarderOptions): Forwarder {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const toNobody: ReturnType<typeof sendHints> = async () => undefined;
  let send = toNobody;

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
  const synced = Promise.withResolvers<void>();
  let following: Promise<unknown> | undefined;

  async function follow({ kind, options, followers: all }: Connection): Promise<void> {
    let isSynced = false;
    try {
      for await (const change of hub.watch(kind, either, options)) {
        if (change.verb === "synced") {
          isSynced = true;
          if (--unsynced === 0) synced.resolve();
          continue;
        }
        const { verb, object } = change;
        const interested = all.filter(({ isChange }) => isChange(change));
        // A watch first reports the existing objects. They are sent at the start of a term instead.
        if (!isSynced) continue;
        for (const { debounced } of interested) debounced?.put(change);
        const changed = referenceTo(object);
        const direct = interested.filter(({ debounced, watch }) => !debounced && !watch.refersTo);
        await send(verb, changed, new Set(direct.map((one) => one.queue)));
        for (const { watch, queue: name } of interested) {
          const owner = watch.refersTo?.(object, verb);
          if (owner) await send(verb, owner, new Set([name]), { changed });
        }
      }
    } finally {
      ended.abort();
    }
  }

  function watch(): Promise<unknown> {
    following ??= Promise.all(connections.map(follow));
    // Without this, Node would report an unhandled rejection. The next term throws the error.
    following.catch(() => undefined);
    return following;
  }

  async function existing(
    watches: Watches,
    { signal: until, owedSince }: Pick<Term, "signal" | "owedSince">,
  ): Promise<readonly ObjectReference[]> {
    for (let attempt = 1; !until.aborted; attempt++) {
      try {
        const time = now && { now: now(), owedSince };
        const { references, error } = await tickReferences(hub, watches, time);
        // If the hub refuses the lists of `ticks`, references to all objects are sent.
        if (isRetryable(error) && !isRefused(error)) throw error;
        if (error) log({ event: "failed", key: watches.queue, error: describeError(error) });
        return references;
      } catch (error) {
        if (until.aborted) break;
        const longest = isRefused(error) ? refusedRetryMs : listAgainMs.max;
        const pauseMs = Math.min(longest, listAgainMs.first * 2 ** (attempt - 1));
        const delaySeconds = pauseMs / 1000;
        log({ event: "retry", key: watches.queue, error: describeError(error), delaySeconds, attempt });
        await sleep(pauseMs, undefined, { signal: until }).catch(() => undefined);
      }
    }
    return [];
  }

  async function forward({ queue, signal: term, sending = {}, owedSince }: Term): Promise<number> {
    const until = AbortSignal.any([term, either]);
    const byQueue = Map.groupBy(allWatches, (watches) => watches.queue);
    const boxes = new Map<string, Outbox>(
      [...byQueue.keys()].map((name) => [
        name,
        outbox({ ...sending, queue: queue(name), signal: until, log }),
      ]),
    );
    const sendHere = sendHints(hub.id, boxes, log);
    send = sendHere;

    /** `forward` does not wait for `start`: a queue that accepts nothing must not delay changes for other queues. */
    async function start(): Promise<void> {
      await Promise.race([synced.promise, aborted(until)]);
      const attributes = owedSince && owedSinceAttributes(owedSince);
      for (const [name, functions] of byQueue) {
        const named = new Map<string, ObjectReference>();
        for (const watches of functions)
          for (const reference of await existing(watches, { signal: until, owedSince }))
            named.set(identityOf(reference), reference);
        for (const reference of named.values())
          void sendHere("add", reference, new Set([name]), { ...(attributes ? { attributes } : {}) });
      }
      await Promise.all([...boxes.values()].map((box) => box.drained()));
      if (until.aborted) return;
      log({ event: "synced", kinds: connections.map(({ kind }) => kind.kind) });
    }

    let unsent: readonly number[] = [];
    const watching = watch();
    if (connections.length > 0) void start();
    try {
      await Promise.race([watching, aborted(until)]);
      if (either.aborted) await watching;
    } finally {
      if (send === sendHere) send = toNobody;
      unsent = await Promise.all([...boxes.values()].map((box) => box.close(closeTimeoutMs)));
    }
    return unsent.reduce((sum, count) => sum + count, 0);
  }

  return {
    watch: () => void watch(),
    forward,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await following?.catch(() => undefined);
    },
  };
}

/** Forwards changes in a single term until the watches end. Returns the number of messages that could not be sent. */
export function forwardChanges({
  queue,
  sending = {},
  ...options
}: ForwarderOptions & Pick<Term, "queue" | "sending">): Promise<number> {
  return forwarder(options).forward({ queue, sending, signal: options.signal });
}
