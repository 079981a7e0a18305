import type { JsonObject } from "../domain/events/envelope.ts";
import type { HubEvent, Verb } from "../domain/events/hub-event.ts";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "../domain/kubernetes/object.ts";
import type { Plan } from "../domain/plan/plan.ts";
import { type ExternalPorts, noExternalPorts } from "../ports/external-ports.ts";
import type { HubReader } from "../ports/hub.ts";

/**
 * Objects that things are derived from, without being such a thing themselves. What the hub can select, it shall, so
 * that the others never travel.
 */
export type Source = Readonly<{
  kind: Kind;
  /** Only objects without this label. */
  withoutLabel?: string;
  /** Only objects of this name, in whatever namespace. */
  name?: string;
  /**
   * What matters about it, as a short text that is kept of each: a change that leaves it as it was is none. Without it
   * every change counts.
   */
  fingerprint?(object: KubernetesObject): string;
}>;

/** What wakes a function: the objects whose changes it wants to hear of, and the thing each of them is about. */
export type Watches = Readonly<{
  name: string;
  /** The queue that feeds it. */
  queue: string;
  /** The kinds whose changes it wants to hear of. */
  kinds: readonly Kind[];
  /** Those of them that a hub must serve; of the others there simply are none where it does not. */
  required?: readonly Kind[];
  /**
   * Objects whose events carry more than a reference, so that a fleet's news cost no read each: those of one kind
   * with this label, and what is told of them when this happens to them. Undefined for what tells nothing: there is
   * no event then.
   */
  feedback?: Readonly<{
    kind: Kind;
    label: string;
    of(object: KubernetesObject, verb?: Verb): JsonObject | undefined;
  }>;
  /**
   * What the things are derived from besides. Its changes are told as they happen; nothing is told of what was there
   * before, for whoever starts names the things themselves. After the first change others wait for so long and come
   * together: a fleet that flaps must not be a flood of events.
   */
  sources?: Readonly<{ restSeconds: number; of: readonly Source[] }>;
  /**
   * What people ask of an object in annotations, as a short text; undefined for kinds of which nothing is asked so. No
   * generation counts annotations: an update that changes this says so in its event's feedback.
   */
  fingerprint?(object: KubernetesObject): string | undefined;
  /** How many messages are handled together, and for how long a first one waits for others; 10 and 0 else. */
  batch?: Readonly<{ size: number; windowSeconds: number }>;
  /** How long one batch may take, as serverless.yml has it for Lambda; 30 s else. */
  timeoutSeconds?: number;
  /** The thing to reconcile, or undefined when the object is none of this function's business. */
  mapToKey(reference: ObjectReference, feedback?: JsonObject): string | undefined;
}>;

/** What a message told about the thing: which object, what happened to it, what it tells. A hint, never a command. */
export type Hint = Pick<HubEvent, "verb" | "reference" | "feedback">;

/** What a function is, without its adapters: what wakes it, and what should happen then. */
export type Controller = Watches &
  Readonly<{
    /**
     * One look at the hub, and at what lies beyond it as far as that can be reached, and the plan that follows.
     * Without hints everything is looked at.
     */
    plan(
      hub: HubReader,
      key: string,
      now: Date,
      external?: ExternalPorts,
      hints?: readonly Hint[],
    ): Promise<Plan>;
    /** True when a failed read or write of this object is the trouble of this hint alone, and of no other of its key. */
    isAbout?(hint: Hint, object: KubernetesObject): boolean;
  }>;

/**
 * Makes a reaction of its two halves. `observe` reads the objects that it may write before those it derives
 * them from; together with the resourceVersion on every write this keeps an older answer from outliving a newer
 * one. `decide` is pure.
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
