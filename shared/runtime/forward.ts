import type { JsonObject } from "../domain/events/envelope.ts";
import { hubEvent, type Verb } from "../domain/events/hub-event.ts";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import { displayName, type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { Hub, HubChange } from "../ports/hub.ts";
import type { Log } from "../ports/log.ts";
import type { Queue } from "../ports/queue.ts";
import { annotationChanges, annotationsChanged, type Change } from "./annotation-changes.ts";
import type { Source, Watches } from "./controller.ts";
import { type Outbox, type OutboxOptions, outbox } from "./outbox.ts";
import { type Debounced, debounce, fingerprintChanges, manyOfKind } from "./source-changes.ts";

/** How long what still waits may take when the end has come. */
const farewellMs = 5_000;

/** The kinds that any of these functions wants to hear of, each once: a watch is a connection to the hub. */
function kindsOf(allWatches: readonly Watches[]): readonly Kind[] {
  const named = allWatches.flatMap(({ kinds }) => kinds.map((kind) => [JSON.stringify(kind), kind] as const));
  return [...new Map(named).values()];
}

/** What names an object among all others, whatever its version. */
function identityOf(reference: ObjectReference): string {
  return `${reference.apiVersion} ${displayName(reference)}`;
}

/** The event of a newer version does not tell of wishes any more: it must not replace the one that does. */
const isForItself = (feedback: JsonObject | undefined): boolean => feedback === annotationsChanged;

/**
 * Sends every change that concerns one of these functions to its queue as a hub event, until the signal aborts.
 * It starts with an `add` for every object that is there: whoever takes over from a forwarder that was killed
 * repeats rather than misses. A queue that does not take its messages holds back the watch, so memory stays
 * bounded. Of objects whose feedback somebody wants, the feedback rides on the event.
 * Answers how many messages were left unsent in the end.
 */
export async function forwardChanges({
  hub,
  allWatches,
  queue,
  signal,
  log,
  sending = {},
  rest,
}: Readonly<{
  hub: Hub;
  allWatches: readonly Watches[];
  /** The queue of this name. */
  queue: (name: string) => Queue;
  signal: AbortSignal;
  log: Log;
  sending?: Pick<OutboxOptions, "capacity" | "lanes" | "retryMs">;
  /** Passes the time between the changes of sources; for tests, which have none. */
  rest?: (ms: number) => Promise<void>;
}>): Promise<number> {
  const names = [...new Set(allWatches.map((watches) => watches.queue))];
  const boxes = new Map<string, Outbox>(
    names.map((name) => [name, outbox({ ...sending, queue: queue(name), signal, log })]),
  );

  /** The boxes that an object's events go into; none for the many MachineConfigs that concern nobody. */
  const boxesFor = (
    concerned: readonly Watches[],
    reference: ObjectReference,
    feedback: JsonObject | undefined,
  ): readonly (readonly [string, Outbox])[] => {
    const wanting = concerned.filter(({ mapToKey }) => mapToKey(reference, feedback) !== undefined);
    const wanted = new Set(wanting.map((watches) => watches.queue));
    return [...boxes].filter(([name]) => wanted.has(name));
  };

  const kinds = kindsOf(allWatches);
  const telling = allWatches.flatMap((watches) =>
    watches.feedback ? [{ watches, feedback: watches.feedback }] : [],
  );
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const deriving = allWatches.flatMap((watches) =>
    watches.sources ? [{ watches, sources: watches.sources }] : [],
  );
  const sourceKinds = deriving.flatMap(({ sources }) => sources.of.map(({ kind }) => kind));
  let unsynced = telling.length + sourceKinds.length + (kinds.length > 0 ? 1 : 0);

  /** A watch has told all that is there; the last to do so says it. */
  async function hasSynced(): Promise<void> {
    if (--unsynced > 0) return;
    await Promise.all([...boxes.values()].map((box) => box.drained()));
    const all = [...kinds, ...telling.map(({ feedback }) => feedback.kind), ...sourceKinds];
    log({ event: "synced", kinds: all.map(({ kind }) => kind) });
  }

  /** Puts the event into the boxes of those whom it concerns. */
  async function send(
    verb: Verb,
    reference: ObjectReference,
    concerned: readonly Watches[],
    feedback: JsonObject | undefined,
  ): Promise<void> {
    const wanting = boxesFor(concerned, reference, feedback);
    if (wanting.length === 0) return;
    const event = hubEvent(verb, reference, { source: hub.id, feedback });
    log({
      event: "noticed",
      subject: displayName(reference),
      verb,
      queues: wanting.map(([name]) => name),
      correlationId: event.id,
    });
    const body = JSON.stringify(event);
    const about = `${identityOf(reference)}${isForItself(feedback) ? " wishes" : ""}`;
    for (const [, box] of wanting) await box.put(about, { body });
  }

  /** Passes on what one watch tells; the end or the failure of one is that of all. */
  async function follow(
    changes: AsyncIterable<HubChange>,
    pass: (change: Change) => Promise<void>,
  ): Promise<void> {
    try {
      for await (const change of changes) {
        if (change.verb === "synced") await hasSynced();
        else await pass(change);
      }
    } finally {
      ended.abort();
    }
  }

  /** Passes on what changes of a source; what was there before changes nothing. */
  async function followSource(source: Source, calm: Debounced): Promise<void> {
    const { kind, fingerprint, withoutLabel, name } = source;
    const isChange = fingerprintChanges(source);
    const changes = hub.watch([kind], either, {
      ...(fingerprint ? {} : { metadataOnly: true }),
      ...(withoutLabel ? { withoutLabel } : {}),
      ...(name ? { name } : {}),
    });
    let isSynced = false;
    try {
      for await (const change of changes) {
        if (change.verb === "synced") {
          isSynced = true;
          await hasSynced();
        } else if (isChange(change) && isSynced) calm.put(change);
      }
    } finally {
      ended.abort();
    }
  }

  function followSources({ watches, sources }: (typeof deriving)[number]): readonly Promise<void>[] {
    const calm = debounce({
      restMs: sources.restSeconds * 1_000,
      signal: either,
      rest,
      async pass(changes) {
        for (const { verb, reference, isMany } of changes)
          await send(verb, reference, [watches], isMany ? manyOfKind : undefined);
      },
    });
    return sources.of.map((source) => followSource(source, calm));
  }

  const toldOfWishes = annotationChanges(allWatches);
  let unsent: readonly number[] = [];
  try {
    await Promise.all([
      // A watch of no kinds would end at once, and the others with it.
      ...(kinds.length > 0
        ? [
            follow(hub.watch(kinds, either, { metadataOnly: true }), (change) =>
              send(change.verb, referenceTo(change.object), allWatches, toldOfWishes(change)),
            ),
          ]
        : []),
      ...telling.map(({ watches, feedback: { kind, label, of } }) =>
        follow(hub.watch([kind], either, { withLabel: label }), async ({ verb, object }) => {
          const feedback = of(object, verb);
          if (feedback) await send(verb, referenceTo(object), [watches], feedback);
        }),
      ),
      ...deriving.flatMap(followSources),
    ]);
  } finally {
    unsent = await Promise.all([...boxes.values()].map((box) => box.close(farewellMs)));
  }
  return unsent.reduce((sum, count) => sum + count, 0);
}
