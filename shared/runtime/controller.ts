import type { JsonObject } from "../domain/events/envelope.ts";
import type { HubEvent, Verb } from "../domain/events/hub-event.ts";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import type { Plan } from "../domain/plan/plan.ts";
import { type ExternalPorts, noExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";

/**
 * Objects from which the reconciled objects are derived. Selection happens on the hub where possible, so that other
 * objects are never transferred.
 */
export type Source = Readonly<{
  kind: Kind;
  /** Only objects without this label. */
  withoutLabel?: string;
  /** Only objects with this name, in any namespace. */
  name?: string;
  /**
   * Returns what matters about the object, as a short text that is kept for each: a change that leaves it the same is
   * ignored. Without it every change counts.
   */
  fingerprint?(object: KubernetesObject): string;
}>;

/** The watches of a function: the objects whose changes trigger it, and the key that each of them maps to. */
export type Watches = Readonly<{
  name: string;
  /** The queue that feeds it. */
  queue: string;
  kinds: readonly Kind[];
  /** Kinds that the hub must serve; the other kinds may be missing on the hub. */
  required?: readonly Kind[];
  /**
   * Objects whose events have more than a reference, so that a fleet's changes do not cost a read each: objects of one
   * kind with this label, and the feedback for a change of one. No event for undefined feedback.
   */
  feedback?: Readonly<{
    kind: Kind;
    label: string;
    of(object: KubernetesObject, verb?: Verb): JsonObject | undefined;
  }>;
  /**
   * Other objects from which the reconciled ones are derived. Only their changes are forwarded, not the objects that
   * already exist: a starting function lists the reconciled objects itself. After the first change, the following ones
   * are collected for `debounceSeconds`, so that a flapping fleet does not cause a flood of events.
   */
  sources?: Readonly<{ debounceSeconds: number; of: readonly Source[] }>;
  /**
   * Returns what the object's annotations request, as a short text; undefined for kinds without such annotations. The
   * generation does not count annotations: an update that changes this text says so in its event's feedback.
   */
  fingerprint?(object: KubernetesObject): string | undefined;
  /** How many messages are handled together, and how long the first one waits for others; by default 10 and 0. */
  batch?: Readonly<{ size: number; windowSeconds: number }>;
  /** The timeout of one batch, as set in serverless.yml for Lambda; by default 30 s. */
  timeoutSeconds?: number;
  /** Returns the key to reconcile, or undefined when the object is not relevant to this function. */
  mapToKey(reference: ObjectReference, feedback?: JsonObject): string | undefined;
}>;

/** What a message says about the key: which object, what happened to it, its feedback. A hint, never a command. */
export type Hint = Pick<HubEvent, "verb" | "reference" | "feedback">;

/** A function without its adapters: what triggers it, and what it does then. */
export type Controller = Watches &
  Readonly<{
    /**
     * Observes the hub, and what is reachable beyond it, and returns the plan that follows. Without hints everything is
     * observed.
     */
    plan(
      hub: HubReader,
      key: string,
      now: Date,
      external?: ExternalPorts,
      hints?: readonly Hint[],
    ): Promise<Plan>;
    /** Reports whether a failed read or write of this object affects only this hint, and no other hint of its key. */
    isAbout?(hint: Hint, object: KubernetesObject): boolean;
  }>;

/**
 * Creates a controller from its two halves. `observe` reads the objects that it may write before those it derives them
 * from; with the resourceVersion on every write this prevents an older result from overwriting a newer one. `decide` is
 * pure.
 */
export function defineController<Snapshot>({
  observe,
  decide,
  ...rest
}: Omit<Controller, "plan"> &
  Readonly<{
    observe(
      hub: HubReader,
      key: string,
      now: Date,
      external: ExternalPorts,
      hints: readonly Hint[] | undefined,
    ): Promise<Snapshot>;
    decide(snapshot: Snapshot): Plan;
  }>): Controller {
  return {
    ...rest,
    plan: async (hub, key, now, external = noExternalPorts, hints = undefined) =>
      decide(await observe(hub, key, now, external, hints)),
  };
}
