import type { Kind } from "../domain/kubernetes/kinds.ts";
import type { ObjectReference } from "../domain/kubernetes/object.ts";
import type { Plan } from "../domain/plan.ts";
import { type Beyond, nothingBeyond } from "../ports/beyond.ts";
import type { HubReader } from "../ports/hub.ts";

/** What wakes a function: the objects whose changes it wants to hear of, and the thing each of them is about. */
export type Interest = Readonly<{
  name: string;
  /** The queue that feeds it. */
  queue: string;
  /** The kinds whose changes it wants to hear of. */
  kinds: readonly Kind[];
  /** Those of them that a hub must serve; of the others there simply are none where it does not. */
  required?: readonly Kind[];
  /** The thing to reconcile, or undefined when the object is none of this function's business. */
  keyOf(reference: ObjectReference): string | undefined;
}>;

/** What a function is, without its adapters: what wakes it, and what should happen then. */
export type Reaction = Interest &
  Readonly<{
    /** One look at the hub, and at what lies beyond it as far as that can be reached, and the plan that follows. */
    plan(hub: HubReader, key: string, now: Date, beyond?: Beyond): Promise<Plan>;
  }>;

/**
 * Makes a reaction of its two halves. `observe` reads the objects that it may write before those it derives
 * them from; together with the resourceVersion on every write this keeps an older answer from outliving a newer
 * one. `decide` is pure.
 */
export function defineReaction<Snapshot>({
  observe,
  decide,
  ...interest
}: Interest &
  Readonly<{
    observe(hub: HubReader, key: string, now: Date, beyond: Beyond): Promise<Snapshot>;
    decide(snapshot: Snapshot): Plan;
  }>): Reaction {
  return {
    ...interest,
    plan: async (hub, key, now, beyond = nothingBeyond) => decide(await observe(hub, key, now, beyond)),
  };
}
