import type { Kind, KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import type { Verb } from "../domain/plan/hub-event.ts";
import type { Plan } from "../domain/plan/plan.ts";
import type { Clock } from "../domain/windows/clock.ts";
import type { External, ExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";

/** What a message asks to reconcile: usually an object's `namespace/name`, or with `part` one part of the object. */
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

/** The objects of one kind whose changes trigger a function. */
export type Watch = Readonly<{
  kind: Kind;
  selector?: Selector;
  /**
   * Returns the parts of an object that matter, as short text, which the forwarder keeps. A change that leaves the text
   * the same is ignored. Without `fingerprint`, every change is forwarded, and only metadata is watched.
   */
  fingerprint?(object: KubernetesObject): string;
  /** True if `fingerprint` reads only metadata; the watch then gets only metadata. */
  metadataOnly?: true;
  /**
   * The kind of the reconciled objects, if another kind is watched. The watched objects are then called sources. Starts
   * and resync ticks send no messages about sources.
   */
  sourceOf?: Kind;
  /**
   * Returns the keys to reconcile when this object changes; none if the object is irrelevant. Only a source may map to
   * several names, and only the reference to a source may have the name `everyName`.
   */
  mapToKeys(reference: ObjectReference, hub: HubReader): readonly Key[] | Promise<readonly Key[]>;
  /**
   * Returns the owner that the event names instead of the changed object; undefined for no event. At starts and resync
   * ticks, `verb` is absent.
   */
  refersTo?(object: KubernetesObject, verb?: Verb): ObjectReference | undefined;
}>;

export type Batch = Readonly<{
  size: number;
  /** The whole seconds for which a batch waits for more messages. The default is 1 on Lambda, and 0 elsewhere. */
  windowSeconds?: number;
}>;

/** The time limit of one batch in seconds if a function sets no `timeoutSeconds`. */
export const defaultTimeoutSeconds = 30;

/** What a resync tick finds out about the keys of a function. */
export type TickFindings = Readonly<{
  /** The names of the keys that need no reconcile now: their last plan still matches the objects on the hub. */
  unchanged: ReadonlySet<string>;
  /** The objects that were listed to find the unchanged keys. The tick does not list these kinds again. */
  listed: ReadonlyMap<Kind, readonly KubernetesObject[]>;
}>;

/** The time of a resync tick. A start of the forwarder counts as a tick. */
export type TickTime = Readonly<{
  now: Date;
  /** Outcomes since this time may be unpublished. So objects that were written since then do not count as unchanged. */
  owedSince?: Date | undefined;
}>;

/** The watches of a function, and what the forwarder and the resync tick need to know about its queue. */
export type Watches = Readonly<{
  name: string;
  queue: string;
  watches: readonly Watch[];
  /** By default, a batch has at most 10 messages. */
  batch?: Batch;
  timeoutSeconds?: number;
  /** Finds the keys that a resync tick may leave out. The number of requests must not grow with the number of keys. */
  ticks?: Readonly<{
    /** The kinds that `find` lists in addition to the kinds in `watches`. */
    reads: readonly Pick<Watch, "kind" | "selector">[];
    find(hub: HubReader, time: TickTime): Promise<TickFindings>;
  }>;
}>;

/** The input of one reconcile. */
export type ReconcileRequest<Needed extends keyof ExternalPorts = never> = Readonly<{
  hub: HubReader;
  key: string;
  /** The parts of the key that messages ask for; undefined for the whole key. */
  parts?: readonly string[] | undefined;
  now: Date;
  /** Returns by how many seconds `now` is ahead of the hub's clock; undefined if the hub's time is unknown. */
  clockAheadSeconds?: (() => number | undefined) | undefined;
  external: External<Needed>;
}>;

/** A function without adapters: its watches, and how it plans. `Needed` are the external ports that it uses. */
export type Controller<Needed extends keyof ExternalPorts = keyof ExternalPorts> = Watches &
  Readonly<{
    plan: (request: ReconcileRequest<Needed>) => Promise<Plan>;
  }>;

/**
 * Returns the controller of a function. `observe` must read the objects that the plan may write before their sources,
 * so that an older decision cannot overwrite a newer one. The clocks are compared after the reads, whose responses
 * contain the hub's time.
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
