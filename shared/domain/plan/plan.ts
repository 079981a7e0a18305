import type { Unread } from "../issues/coverage.ts";
import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import type { HubCloudEvent } from "./hub-event.ts";
import type { OutcomeEvent } from "./outcome-event.ts";

type Accepted = "AlreadyExists" | "NotFound";

/**
 * One write. `create` fails if the object exists. `update` and `update-status` send the resourceVersion that was read,
 * and so fail if the object has changed since. `delete` removes the object only if it has the uid that was read.
 */
export type Action = Readonly<{
  verb: "create" | "update" | "update-status" | "delete";
  object: KubernetesObject;
  /** The hosted cluster (`namespace/name`) whose API receives the write; absent for the hub's API. */
  guest?: string;
  /** One sentence for the live view and the log. */
  reason: string;
  /** Errors that mean that the write is already done; accepting them saves a read before the write. */
  accepts?: Accepted | readonly Accepted[];
  /**
   * The part of the reconciled object that the write changes, e.g. one cluster of an upgrade. Other parts are written
   * even if the write fails; then only messages about this part or the whole object are redelivered.
   */
  part?: string;
  /** The outcomes to publish after the write succeeds. */
  outcomes?: readonly OutcomeEvent[];
}>;

/** Hints to send to another function's queue. */
export type Send = Readonly<{
  /** hubrelay's queue name, as in `HUBRELAY_QUEUE_URLS`. */
  queue: string;
  events: readonly HubCloudEvent[];
  reason: string;
  /** How long the queue delays the hints, in seconds; at most 900. */
  delaySeconds?: number;
}>;

/** A part of the reconciled object that could not be read or written; other parts are not affected. */
export type FailedPart = Readonly<{ part: string; error: unknown }>;

/** A file on a pool's nodes that was not compared, since another MachineConfig writes it. */
export type UncomparedFile = Readonly<{ pool: string; machineConfig: string; path: string }>;

/** The decision about one subject, reported even when nothing is written. */
export type Decision = Readonly<{
  subject: string;
  verdict: string;
  reason: string;
  /** Who writes the subject, if known; absent if only hubrelay writes it. */
  owner?: string;
  /** The differences from the desired state, each as a sentence or a change; absent without a difference. */
  differences?: readonly string[];
  /** Files that also configure the subject's nodes but were not compared. */
  comparedWithout?: readonly UncomparedFile[];
}>;

/** The result of a reconcile, which a pure function decides from one snapshot. */
export type Plan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  /** The action to write first. If another writer was faster, nothing else is written, as the plan is then outdated. */
  guard?: Action;
  actions: readonly Action[];
  /**
   * Returns the outcomes of the writes that led to the hub's state, with their original ids. They are published again for a
   * redelivered message, because the process that wrote may have been killed before it published. Outcomes of writes before
   * `since` may be left out.
   */
  standing?(since: Date): readonly OutcomeEvent[];
  /** Hints for other functions, sent after all actions have succeeded, because they refer to the written state. */
  sends?: readonly Send[];
  /** Set when the actions are a first step: the object is reconciled again at once. */
  again?: true;
  /** Parts of the reconciled object that could not be read: they are not changed, and their messages are redelivered. */
  unread?: readonly FailedPart[];
  /** When to reconcile again even without a change. A distant time is left to the resync tick. */
  requeueAt?: Date;
}>;

/** A plan without decisions, issues and actions. */
export const emptyPlan: Plan = { decisions: [], issues: [], actions: [] };

/** The verdict if the input lacks an object that the comparison needs. */
export const notCompared = "not compared";

/** Returns what a decision leaves unchecked: unreachable APIs, subjects not compared, files of other MachineConfigs. */
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
