import type { Unread } from "../issues/coverage.ts";
import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import type { HubCloudEvent } from "./hub-event.ts";
import type { OutcomeEvent } from "./outcome-event.ts";

type Accepted = "AlreadyExists" | "NotFound";

/**
 * One write. `create` fails when the object exists; `update` and `update-status` carry the observed resourceVersion;
 * `delete` removes only the observed incarnation.
 */
export type Action = Readonly<{
  verb: "create" | "update" | "update-status" | "delete";
  object: KubernetesObject;
  /** The hosted cluster (`namespace/name`) whose own API takes the write; without it, the hub does. */
  guest?: string;
  /** Why, as a sentence for the live view and the log. */
  reason: string;
  /** The errors that mean the write is already done, so that no read has to check first. */
  accepts?: Accepted | readonly Accepted[];
  /**
   * The part of the key that the write is about, such as a cluster: its failure affects only the messages about this
   * part, and the writes of other parts do not wait for it.
   */
  part?: string;
  /** Published after the write succeeds, and only then. */
  outcomes?: readonly OutcomeEvent[];
}>;

/** Hints for other functions. */
export type Send = Readonly<{
  /** hubrelay's queue name, as in `HUBRELAY_QUEUE_URLS`. */
  queue: string;
  events: readonly HubCloudEvent[];
  /** Why, as a sentence. */
  reason: string;
  /** How long the queue holds them back; at most 900. */
  delaySeconds?: number;
}>;

/** A part of the key for which an object could not be read or written, while the other parts are done. */
export type FailedPart = Readonly<{ part: string; error: unknown }>;

/** A file of a pool's nodes that another MachineConfig writes than the one that was compared. */
export type UncomparedFile = Readonly<{ pool: string; machineConfig: string; path: string }>;

/** The decision about one subject, reported even when nothing is written. */
export type Decision = Readonly<{
  subject: string;
  verdict: string;
  reason: string;
  /** Who writes the subject, if known; absent when only hubrelay does. */
  owner?: string;
  /** How the subject differs from its desired state, one sentence or change each; absent when nothing differs. */
  differences?: readonly string[];
  /** What also decides about the subject's nodes and was not compared. */
  comparedWithout?: readonly UncomparedFile[];
}>;

/** The result of a reconcile: decided by a pure function from one snapshot. */
export type Plan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  /**
   * Written before everything else. When it is not, because another writer was first, nothing else is written or sent:
   * the rest was decided from a state that is no longer there.
   */
  guard?: Action;
  actions: readonly Action[];
  /**
   * Returns the outcomes of the state on the hub, with their original ids. They are published again for a redelivered
   * message, because the process that wrote may have been killed before it published. Outcomes of writes that are
   * certainly older than `since` may be left out.
   */
  standing?(since: Date): readonly OutcomeEvent[];
  /** Sent after all actions have succeeded, because they refer to the written state. */
  sends?: readonly Send[];
  /**
   * The actions were only the first step: continue at once from the written state.
   */
  again?: true;
  /** What could not be read: its state stays unchanged, and its messages are redelivered. */
  unread?: readonly FailedPart[];
  /** When to reconcile again even if nothing changes until then; the resync tick does so where that is far away. */
  requeueAt?: Date;
}>;

/** Nothing to do. */
export const emptyPlan: Plan = { decisions: [], issues: [], actions: [] };

/** The verdict on what could have been compared if the input said more. */
export const notCompared = "not compared";

/** Returns what was not compared for a decision: what does not respond, and files of other MachineConfigs. */
export function uncomparedOf({ subject, verdict, comparedWithout = [] }: Decision): readonly Unread[] {
  return [
    ...(verdict === "unknown" ? [{ what: subject, why: "unreachable", count: 1 } as const] : []),
    ...(verdict === notCompared ? [{ what: subject, why: "not-checked", count: 1 } as const] : []),
    ...comparedWithout.map(({ machineConfig, path }) => ({
      what: sentence`MachineConfig/${machineConfig} ${path}`,
      why: "not-checked" as const,
      count: 1,
    })),
  ];
}
