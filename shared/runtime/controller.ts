import type { Kind, KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import type { Verb } from "../domain/plan/hub-event.ts";
import type { Plan } from "../domain/plan/plan.ts";
import type { Clock } from "../domain/windows/clock.ts";
import type { External, ExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";

/**
 * What a message requests: to reconcile one thing, or one part of it, such as one cluster of a ClusterGroupUpgrade. The
 * name of an object is `namespace/name`.
 */
export type Key = Readonly<{ name: string; part?: string }>;

/** Which objects of a kind are watched: others are filtered as early as possible. */
export type Selector = Readonly<{
  /** Only objects with this label. The hub sends no others: most ManifestWorks belong to other programs. */
  withLabel?: string;
  /** Only objects without this label. The hub sends no others: a fleet has a copy of each policy for each cluster. */
  withoutLabel?: string;
  /**
   * Only objects with this name, in any namespace: the hub sends no others. The forwarder applies a function, for names
   * that a hub cannot select: of hundreds of MachineConfigs only the generated ones count.
   */
  name?: string | ((name: string) => boolean);
}>;

/**
 * The name in a reference that stands for every object of its kind, because very many have changed at the same time. An
 * object that has this name means the same: that costs a few reconciles more.
 */
export const everyName = "all";

/** The objects of a kind whose changes trigger a function. */
export type Watch = Readonly<{
  kind: Kind;
  selector?: Selector;
  /**
   * Returns what matters about the object as a short text, which the forwarder keeps for each object: a change that
   * leaves it the same is not forwarded. Without it every change is. It may read all of the object: with it the whole
   * object is watched, without it only its metadata.
   */
  fingerprint?(object: KubernetesObject): string;
  /** Set when the fingerprint reads metadata only: then no more of the objects is watched. */
  metadataOnly?: true;
  /**
   * Set for objects from which others are derived: the kind of those that are reconciled. Only changes of such a source
   * are forwarded, seconds apart; a reconcile reads those that exist anyway. A message about a source is replaced by one
   * for each key that it maps to, so that each key is retried on its own. With `refersTo` nothing waits: an event names
   * the one object that is derived from it.
   */
  sourceOf?: Kind;
  /**
   * Returns the keys to reconcile when this object changes; none when it is not relevant. It may read the hub. A source
   * may map to many keys, and its reference may have `everyName`; other objects map to one key, or to parts of one.
   */
  mapToKeys(reference: ObjectReference, hub: HubReader): readonly Key[] | Promise<readonly Key[]>;
  /**
   * Returns the object that an event about this change names instead of the changed one: its owner, which only the
   * changed object itself knows, so that no read has to find it. No event for a change without one. Without a verb, for
   * what exists at the start and at a resync tick, every object refers to one: what it follows from may be gone.
   */
  refersTo?(object: KubernetesObject, verb?: Verb): ObjectReference | undefined;
}>;

/** How messages are handled together. */
export type Batch = Readonly<{
  /** The maximum number of messages. */
  size: number;
  /**
   * Whole seconds that the first message may wait for others, and as long again while there are more; by default it does
   * not wait, except on Lambda, where it is one second. What already waits is taken at once.
   */
  windowSeconds?: number;
}>;

/** The time limit of a batch without one of its own. */
export const defaultTimeoutSeconds = 30;

/** What a resync tick has found out about the keys of a function. */
export type TickFindings = Readonly<{
  /** The names of the keys whose last plan was derived from what the hub holds, and is not due yet. */
  unchanged: ReadonlySet<string>;
  /** All objects of watched kinds that were listed for that: the tick does not list them again. */
  listed: ReadonlyMap<Kind, readonly KubernetesObject[]>;
}>;

/** The time of a resync tick, or of a start, which is one. */
export type TickTime = Readonly<{
  now: Date;
  /** Since when objects may have been written without their outcomes: these are not unchanged. */
  owedSince?: Date | undefined;
}>;

/** The watches of a function, and the queue that feeds it: all that forwarder and resync tick have to know. */
export type Watches = Readonly<{
  name: string;
  queue: string;
  watches: readonly Watch[];
  /** By default 10 messages. */
  batch?: Batch;
  /** The timeout of one batch; by default `defaultTimeoutSeconds`. */
  timeoutSeconds?: number;
  /**
   * Lets a resync tick leave out what needs no reconcile; by default it names every key. Only lists are read, a number that
   * does not depend on how many keys there are.
   */
  ticks?: Readonly<{
    /** What `find` lists besides the kinds in `watches`. */
    reads: readonly Pick<Watch, "kind" | "selector">[];
    find(hub: HubReader, time: TickTime): Promise<TickFindings>;
  }>;
}>;

/** What one reconcile starts from. */
export type ReconcileRequest<Needed extends keyof ExternalPorts = never> = Readonly<{
  hub: HubReader;
  /** The name of the key. */
  key: string;
  /** The parts to reconcile, each once; undefined for everything. */
  parts?: readonly string[] | undefined;
  now: Date;
  /** Returns by how many seconds `now` is ahead of the hub's clock; undefined where that is not known. */
  clockAheadSeconds?: (() => number | undefined) | undefined;
  external: External<Needed>;
}>;

/** A function without its adapters: what triggers it, and what it does then. `Needed` are its external ports. */
export type Controller<Needed extends keyof ExternalPorts = keyof ExternalPorts> = Watches &
  Readonly<{
    /** Observes the hub, and what is reachable beyond it, and returns the plan that follows. */
    plan: (request: ReconcileRequest<Needed>) => Promise<Plan>;
  }>;

/**
 * Creates a controller from its two halves. `observe` reads the objects that it may write before those it derives them
 * from; with the resourceVersion on every write this prevents an older result from overwriting a newer one. The request
 * that it takes names its external ports. `decide` is pure. The clocks are compared after the reads, since their responses
 * have the hub's time.
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
