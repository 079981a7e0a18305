import type { Kind, KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import type { Verb } from "../domain/plan/hub-event.ts";
import type { Plan } from "../domain/plan/plan.ts";
import type { Clock } from "../domain/windows/clock.ts";
import type { External, ExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";

/**
 * What a message asks to reconcile. `name` is usually an object's `namespace/name`. With `part`, only this part of the
 * object is reconciled, such as one cluster of a ClusterGroupUpgrade.
 */
export type Key = Readonly<{ name: string; part?: string }>;

/** Which objects of a kind are watched. */
export type Selector = Readonly<{
  /** Only objects with this label. The hub itself applies this filter. */
  withLabel?: string;
  /** Only objects without this label. The hub itself applies this filter. */
  withoutLabel?: string;
  /** Only objects with this name, in any namespace. The hub applies a string, and the forwarder applies a function. */
  name?: string | ((name: string) => boolean);
}>;

/** A reference with this name means all objects of its kind. It is used if very many objects change at once. */
export const everyName = "all";

/** The objects of a kind whose changes trigger a function. */
export type Watch = Readonly<{
  kind: Kind;
  selector?: Selector;
  /**
   * Returns what matters about an object as short text, which the forwarder keeps: a change with the same fingerprint is not
   * forwarded. Without this function every change is forwarded, and only metadata is watched; with it, whole objects are
   * watched.
   */
  fingerprint?(object: KubernetesObject): string;
  /** True if the fingerprint needs only metadata; only metadata is watched then. */
  metadataOnly?: true;
  /**
   * The kind of the reconciled objects if these are derived from the watched objects, which are then called sources.
   * Starts and ticks send no messages about sources, since each reconcile reads them. Changes of sources are collected
   * for some seconds, except with `refersTo`. A message about a source is replaced by one message for each key to which
   * the source maps, so that each key is retried separately.
   */
  sourceOf?: Kind;
  /**
   * Returns the keys to reconcile when this object changes; empty if the object is irrelevant. May read the hub. A source
   * may map to many keys, and its reference may have `everyName`; for any other object all keys have the same name.
   */
  mapToKeys(reference: ObjectReference, hub: HubReader): readonly Key[] | Promise<readonly Key[]>;
  /**
   * Returns the owner of a changed object; if there is none, the forwarder sends no event. The event names the owner
   * instead of the object, so that no function reads the object to find its owner. Starts and resync ticks call this
   * function without a verb for every object, so that an owner that was removed meanwhile is also noticed.
   */
  refersTo?(object: KubernetesObject, verb?: Verb): ObjectReference | undefined;
}>;

export type Batch = Readonly<{
  size: number;
  /**
   * How many whole seconds a batch waits for more messages after the first; while more arrive, up to twice as long. By
   * default 0, and on Lambda 1. Messages that already wait in the queue are received at once.
   */
  windowSeconds?: number;
}>;

/** The time limit of one batch in seconds for functions that do not set `timeoutSeconds`. */
export const defaultTimeoutSeconds = 30;

/** What a resync tick finds out about a function's keys. */
export type TickFindings = Readonly<{
  /** Names of keys whose last plan still matches the objects on the hub, and that are not due for a reconcile yet. */
  unchanged: ReadonlySet<string>;
  /** All objects that were listed to find unchanged keys, by kind. The tick does not list these kinds again. */
  listed: ReadonlyMap<Kind, readonly KubernetesObject[]>;
}>;

/** The time of a resync tick, or of a start, which counts as a tick. */
export type TickTime = Readonly<{
  now: Date;
  /** Outcomes since this time may be unpublished, so objects that were written since then count as changed. */
  owedSince?: Date | undefined;
}>;

/** What the forwarder and the resync tick need of a function: its watches, and the queue for its messages. */
export type Watches = Readonly<{
  name: string;
  queue: string;
  watches: readonly Watch[];
  /** How messages are batched; by default 10 at a time. */
  batch?: Batch;
  /** The time limit of one batch in seconds; by default `defaultTimeoutSeconds`. */
  timeoutSeconds?: number;
  /**
   * Finds the keys that a resync tick may leave out; without `ticks`, the tick names every key. `find` only requests
   * lists, and their number does not depend on the number of keys.
   */
  ticks?: Readonly<{
    /** What `find` lists besides the kinds in `watches`. */
    reads: readonly Pick<Watch, "kind" | "selector">[];
    find(hub: HubReader, time: TickTime): Promise<TickFindings>;
  }>;
}>;

/** The input of one reconcile. */
export type ReconcileRequest<Needed extends keyof ExternalPorts = never> = Readonly<{
  hub: HubReader;
  key: string;
  /** The parts of the key to reconcile, each once; undefined for the whole key. */
  parts?: readonly string[] | undefined;
  now: Date;
  /** Returns how many seconds `now` is ahead of the hub's clock; undefined if the hub has not reported a time. */
  clockAheadSeconds?: (() => number | undefined) | undefined;
  external: External<Needed>;
}>;

/** A function without its adapters: what triggers it, and how it plans. `Needed` are the external ports that it needs. */
export type Controller<Needed extends keyof ExternalPorts = keyof ExternalPorts> = Watches &
  Readonly<{
    /** Observes the hub and the external systems, and returns the plan that was decided from them. */
    plan: (request: ReconcileRequest<Needed>) => Promise<Plan>;
  }>;

/**
 * Creates a controller from `observe` and the pure function `decide`. `observe` first reads the objects that the plan
 * may write, and then their sources. Updates have the resourceVersion of that read, so that an older result cannot
 * overwrite a newer one. `Needed` follows from the type of the request. The clocks of this process and the hub are
 * compared after the reads, because their responses contain the hub's time.
 */
export function defineController<Snapshot, Needed extends keyof ExternalPorts = never>({
  observe,
  decide,
  ...watches
}: Watches &
  Readonly<{
    observe: (request: ReconcileRequest<Needed>) => Promise<Snapshot>;
    decide(snapshot: Snapshot & Pick<Clock, "clockAheadSeconds">): Plan;
  }>): Controller<Needed> {
  return {
    ...watches,
    async plan(request) {
      const snapshot = await observe(request);
      return decide({ ...snapshot, clockAheadSeconds: request.clockAheadSeconds?.() });
    },
  };
}
