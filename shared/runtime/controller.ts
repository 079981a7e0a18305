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

/** Which objects of a kind are watched; the others are filtered out as early as possible. */
export type Selector = Readonly<{
  /** Only objects with this label. The hub filters: most ManifestWorks belong to other programs. */
  withLabel?: string;
  /** Only objects without this label. The hub filters: a fleet has a copy of each policy for each cluster. */
  withoutLabel?: string;
  /**
   * Only objects with this name, in any namespace. The hub filters by a string. The forwarder filters by a function, for
   * names that a hub cannot select: of hundreds of MachineConfigs only the generated ones matter.
   */
  name?: string | ((name: string) => boolean);
}>;

/**
 * The name in a reference that stands for every object of its kind, used when very many have changed at the same time. An
 * object that really has this name only costs a few extra reconciles.
 */
export const everyName = "all";

/** The objects of a kind whose changes trigger a function. */
export type Watch = Readonly<{
  kind: Kind;
  selector?: Selector;
  /**
   * Returns the relevant fields of the object as a short text, which the forwarder keeps for each object: a change with
   * the same fingerprint is not forwarded. Without a fingerprint, every change is forwarded and only metadata is watched;
   * with one, the whole object is watched.
   */
  fingerprint?(object: KubernetesObject): string;
  /** Set when the fingerprint reads only metadata: then only metadata is watched. */
  metadataOnly?: true;
  /**
   * Set for sources, objects from which others are derived: the kind of the derived, reconciled objects. A start or tick
   * does not name sources, since each reconcile reads them. Their changes are collected for some seconds. A message about a
   * source is replaced by one for each key that it maps to, so that each key is retried separately. With `refersTo`
   * changes are forwarded at once.
   */
  sourceOf?: Kind;
  /**
   * Returns the keys to reconcile when this object changes; none when the object is irrelevant. It may read the hub. A
   * source may map to many keys, and its reference may have `everyName`; other objects map to one key, or to parts of one.
   */
  mapToKeys(reference: ObjectReference, hub: HubReader): readonly Key[] | Promise<readonly Key[]>;
  /**
   * Returns the owner of the changed object; the event names the owner instead, so that no function has to read the object
   * to find it. A change for which this is undefined has no event. At a start and at a resync tick it is called without a
   * verb, and returns the owner of every object: the owner may have been removed unnoticed.
   */
  refersTo?(object: KubernetesObject, verb?: Verb): ObjectReference | undefined;
}>;

export type Batch = Readonly<{
  size: number;
  /**
   * Whole seconds that the first message may wait for others, and the same again while more arrive; by default no wait, on
   * Lambda one second. Waiting messages are taken at once.
   */
  windowSeconds?: number;
}>;

/** The time limit of a batch that has no `timeoutSeconds`. */
export const defaultTimeoutSeconds = 30;

/** The result of a resync tick's check of a function's keys. */
export type TickFindings = Readonly<{
  /** The names of the keys whose last plan matches the hub's present objects and is not due yet. */
  unchanged: ReadonlySet<string>;
  /** All objects of watched kinds that were listed for the check: the tick does not list them again. */
  listed: ReadonlyMap<Kind, readonly KubernetesObject[]>;
}>;

/** The time of a resync tick; a start counts as one. */
export type TickTime = Readonly<{
  now: Date;
  /** Objects that were written since then may lack their outcomes, so they do not count as unchanged. */
  owedSince?: Date | undefined;
}>;

/** The watches of a function and the queue that feeds it: the input of forwarder and resync tick. */
export type Watches = Readonly<{
  name: string;
  queue: string;
  watches: readonly Watch[];
  /** By default 10 messages. */
  batch?: Batch;
  /** The timeout of one batch; by default `defaultTimeoutSeconds`. */
  timeoutSeconds?: number;
  /**
   * Lets a resync tick leave out unchanged keys; by default it names every key. Reads only lists, whose number does not
   * depend on the number of keys.
   */
  ticks?: Readonly<{
    /** What `find` lists in addition to the kinds in `watches`. */
    reads: readonly Pick<Watch, "kind" | "selector">[];
    find(hub: HubReader, time: TickTime): Promise<TickFindings>;
  }>;
}>;

/** The input of one reconcile. */
export type ReconcileRequest<Needed extends keyof ExternalPorts = never> = Readonly<{
  hub: HubReader;
  key: string;
  /** The parts to reconcile, each once; undefined for the whole object. */
  parts?: readonly string[] | undefined;
  now: Date;
  /** Returns by how many seconds `now` is ahead of the hub's clock; undefined when the hub has reported no time. */
  clockAheadSeconds?: (() => number | undefined) | undefined;
  external: External<Needed>;
}>;

/** A function without its adapters: its triggers and its reaction. `Needed` are its external ports. */
export type Controller<Needed extends keyof ExternalPorts = keyof ExternalPorts> = Watches &
  Readonly<{
    /** Observes the hub and the external systems, and returns the plan that follows. */
    plan: (request: ReconcileRequest<Needed>) => Promise<Plan>;
  }>;

/**
 * Creates a controller from its two halves. `observe` reads the objects that the plan may write before the objects that
 * they are derived from; with the resourceVersion on every write this prevents an older result from overwriting a newer
 * one. Its request names its external ports. `decide` is pure. The clocks are compared after the reads, since their
 * responses have the hub's time.
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
