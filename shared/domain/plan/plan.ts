import type { HubCloudEvent } from "../events/hub-event.ts";
import type { OutcomeEvent } from "../events/outcome-event.ts";
import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

type Accepted = "AlreadyExists" | "NotFound";

/**
 * One write. `create` must not find the object; `update` and `update-status` carry the resourceVersion that
 * was observed; `delete` removes exactly the incarnation that was observed.
 */
export type Action = Readonly<{
  verb: "create" | "update" | "update-status" | "delete";
  object: KubernetesObject;
  /** The hosted cluster (`namespace/name`) whose own API takes the write; without it, the hub does. */
  guest?: string;
  /** Why, as a sentence a person reads in the live view and in the log. */
  reason: string;
  /** The refusal that means it is done already: the write is its own look whether the object is there. */
  accepts?: Accepted | readonly Accepted[];
  /** What the write makes true: published when it was made, and only then. */
  outcomes?: readonly OutcomeEvent[];
}>;

/** Hints for another function. */
export type Send = Readonly<{
  /** hubrelay's name of the queue, as in `HUBRELAY_QUEUE_URLS`. */
  queue: string;
  events: readonly HubCloudEvent[];
  /** Why, as a sentence. */
  reason: string;
}>;

/** An object that could not be read or written, although others could. */
export type FailedPart = Readonly<{ object: KubernetesObject; error: unknown }>;

/** What was decided about one thing, told even when nothing is written. */
export type Decision = Readonly<{
  subject: string;
  verdict: string;
  reason: string;
  /** Who writes the subject, as far as that can be seen; absent where nobody but hubrelay does. */
  owner?: string;
  /** What the subject does not hold although it should, a sentence or change each; absent where nothing differs. */
  differences?: readonly string[];
}>;

/** What a function wants to happen: decided by a pure function from one snapshot. */
export type Plan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  actions: readonly Action[];
  /**
   * Returns the outcomes of what the hub holds already, under the ids that they had when it was written. They are
   * published again for a message that comes again: the process that wrote may have been killed before it published.
   * What was certainly written before `since` may be left out.
   */
  standing?(since: Date): readonly OutcomeEvent[];
  /** Sent when every action was done: they are about what was written. */
  sends?: readonly Send[];
  /**
   * The actions were only the first step, for instance a claim: look again at once, and go on from what is
   * written then.
   */
  again?: true;
  /** What could not be read: what is about it stays as it was, and its messages come again. */
  unread?: readonly FailedPart[];
  /** When to look again although nothing may have changed until then. */
  requeueAt?: Date;
}>;
