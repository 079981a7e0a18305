import type { JsonObject } from "../domain/events/envelope.ts";
import { hubEvent, type Verb } from "../domain/events/hub-event.ts";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import { displayName, type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { Hub, HubChange, ObjectChange } from "../ports/hub.ts";
import type { Log } from "../ports/log.ts";
import type { Queue } from "../ports/queue.ts";
import { annotationChanges, annotationsChanged } from "./annotation-changes.ts";
import type { Source, Watches } from "./controller.ts";
import { type Outbox, type OutboxOptions, outbox } from "./outbox.ts";
import { type Debounced, debounce, fingerprintChanges, manyOfKind } from "./source-changes.ts";

/** How long messages that still wait may take after the end. */
const closeTimeoutMs = 5_000;

/** Each kind once: a watch is a connection to the hub. */
function kindsOf(allWatches: readonly Watches[]): readonly Kind[] {
  const named = allWatches.flatMap(({ kinds }) => kinds.map((kind) => [JSON.stringify(kind), kind] as const));
  return [...new Map(named).values()];
}

function identityOf(reference: ObjectReference): string {
  return `${reference.apiVersion} ${displayName(reference)}`;
}

/** The event of a newer version no longer reports changed annotations, so it must not replace one that does. */
const isAnnotationChange = (feedback: JsonObject | undefined): boolean => feedback === annotationsChanged;

/**
 * Sends every change that is relevant to one of these functions to its queue as a hub event, until the signal aborts.
 * Starts with an `add` for every existing object: a forwarder that replaces a killed one repeats rather than misses
 * changes. A queue that does not accept its messages blocks the watch, so memory stays bounded. Events have feedback
 * where a function defines it. Returns how many messages were left unsent in the end.
 */
export async function forwardChanges({
  hub,
  allWatches,
  queue,
  signal,
  log,
  sending = {},
  delay,
}: Readonly<{
  hub: Hub;
  allWatches: readonly Watches[];
  queue: (name: string) => Queue;
  signal: AbortSignal;
  log: Log;
  sending?: Pick<OutboxOptions, "capacity" | "lanes" | "retryMs">;
  /** Waits between the changes of sources; replaced in tests. */
  delay?: (ms: number) => Promise<void>;
}>): Promise<number> {
  const names = [...new Set(allWatches.map((watches) => watches.queue))];
  const boxes = new Map<string, Outbox>(
    names.map((name) => [name, outbox({ ...sending, queue: queue(name), signal, log })]),
  );

  /** None for the many MachineConfigs that no function needs. */
  const boxesFor = (
    candidates: readonly Watches[],
    reference: ObjectReference,
    feedback: JsonObject | undefined,
  ): readonly (readonly [string, Outbox])[] => {
    const matching = candidates.filter(({ mapToKey }) => mapToKey(reference, feedback) !== undefined);
    const wanted = new Set(matching.map((watches) => watches.queue));
    return [...boxes].filter(([name]) => wanted.has(name));
  };

  const kinds = kindsOf(allWatches);
  const feedbackWatches = allWatches.flatMap((watches) =>
    watches.feedback ? [{ watches, feedback: watches.feedback }] : [],
  );
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const sourceWatches = allWatches.flatMap((watches) =>
    watches.sources ? [{ watches, sources: watches.sources }] : [],
  );
  const sourceKinds = sourceWatches.flatMap(({ sources }) => sources.of.map(({ kind }) => kind));
  let unsynced = feedbackWatches.length + sourceKinds.length + (kinds.length > 0 ? 1 : 0);

  /** Logs `synced` when the last watch has reported all existing objects. */
  async function hasSynced(): Promise<void> {
    if (--unsynced > 0) return;
    await Promise.all([...boxes.values()].map((box) => box.drained()));
    const all = [...kinds, ...feedbackWatches.map(({ feedback }) => feedback.kind), ...sourceKinds];
    log({ event: "synced", kinds: all.map(({ kind }) => kind) });
  }

  async function send(
    verb: Verb,
    reference: ObjectReference,
    candidates: readonly Watches[],
    feedback: JsonObject | undefined,
  ): Promise<void> {
    const interested = boxesFor(candidates, reference, feedback);
    if (interested.length === 0) return;
    const event = hubEvent(verb, reference, { source: hub.id, feedback });
    log({
      event: "noticed",
      subject: displayName(reference),
      verb,
      queues: interested.map(([name]) => name),
      correlationId: event.id,
    });
    const body = JSON.stringify(event);
    const about = `${identityOf(reference)}${isAnnotationChange(feedback) ? " annotations" : ""}`;
    for (const [, box] of interested) await box.put(about, { body });
  }

  /** Passes on the changes of one watch; when one watch ends or fails, all end. */
  async function follow(
    changes: AsyncIterable<HubChange>,
    pass: (change: ObjectChange) => Promise<void>,
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

  /** Passes on the changes of a source, but not the objects that existed before. */
  async function followSource(source: Source, debounced: Debounced): Promise<void> {
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
        } else if (isChange(change) && isSynced) debounced.put(change);
      }
    } finally {
      ended.abort();
    }
  }

  function followSources({ watches, sources }: (typeof sourceWatches)[number]): readonly Promise<void>[] {
    const debounced = debounce({
      intervalMs: sources.debounceSeconds * 1_000,
      signal: either,
      delay,
      async pass(changes) {
        for (const { verb, reference, isMany } of changes)
          await send(verb, reference, [watches], isMany ? manyOfKind : undefined);
      },
    });
    return sources.of.map((source) => followSource(source, debounced));
  }

  const annotationFeedback = annotationChanges(allWatches);
  let unsent: readonly number[] = [];
  try {
    await Promise.all([
      // A watch of no kinds would end at once, and the others with it.
      ...(kinds.length > 0
        ? [
            follow(hub.watch(kinds, either, { metadataOnly: true }), (change) =>
              send(change.verb, referenceTo(change.object), allWatches, annotationFeedback(change)),
            ),
          ]
        : []),
      ...feedbackWatches.map(({ watches, feedback: { kind, label, of } }) =>
        follow(hub.watch([kind], either, { withLabel: label }), async ({ verb, object }) => {
          const feedback = of(object, verb);
          if (feedback) await send(verb, referenceTo(object), [watches], feedback);
        }),
      ),
      ...sourceWatches.flatMap(followSources),
    ]);
  } finally {
    unsent = await Promise.all([...boxes.values()].map((box) => box.close(closeTimeoutMs)));
  }
  return unsent.reduce((sum, count) => sum + count, 0);
}
