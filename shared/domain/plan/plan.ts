import type { Unread } from "../issues/coverage.ts";
import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import type { HubCloudEvent } from "./hub-event.ts";
import type { OutcomeEvent } from "./outcome-event.ts";

type Accepted = "AlreadyExists" | "NotFound";

/**
 * One write. `create` fails if the object exists; an update fails if the object has changed since it was read. `delete`
 * removes the object only if it has the uid that was read.
 */
export type Action = Readonly<{
  verb: "create" | "update" | "update-status" | "delete";
  object: KubernetesObject;
  /** The hosted cluster (`namespace/name`) to whose API the write is sent; absent for the hub's API. */
  guest?: string;
  /** One sentence for the live view and the log. */
  reason: string;
  /** Errors that count as success, because they mean that the write is already done. */
  accepts?: Accepted | readonly Accepted[];
  /**
   * The part of the reconciled object that the write changes. If the write fails, other parts are still written, and
   * only messages about this part or the whole object are redelivered.
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
  /** In seconds, at most 900. */
  delaySeconds?: number;
}>;

/** A part of the reconciled object that could not be read or written; other parts are not affected. */
export type FailedPart = Readonly<{ part: string; error: unknown }>;

/** A file that was not compared, because a MachineConfig other than the compared one writes it to a pool's nodes. */
export type UncomparedFile = Readonly<{ pool: string; machineConfig: string; path: string }>;

/** The decision about one subject, reported even when nothing is written. */
export type Decision = Readonly<{
  subject: string;
  verdict: string;
  reason: string;
  /** Who writes the subject; absent if this is unknown, or if only hubrelay does. */
  owner?: string;
  /** The differences from the desired state, each as one text; absent if there is no difference. */
  differences?: readonly string[];
  /** Files that also configure the subject's nodes but were not compared. */
  comparedWithout?: readonly UncomparedFile[];
}>;

/** What a reconcile has decided, from one snapshot of the objects. */
export type Plan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  /** The write that is made first. If another writer was faster, the plan is outdated, and nothing else is written. */
  guard?: Action;
  actions: readonly Action[];
  /**
   * Returns the outcomes of the last writes, at least those since `since`, with their original ids. They are published
   * again for a redelivered message: the process that wrote may have been killed before it published.
   */
  standing?(since: Date): readonly OutcomeEvent[];
  /** Hints for other functions. They are sent after all actions have succeeded. */
  sends?: readonly Send[];
  /** Set when the actions are only a first step: the object is reconciled again at once. */
  again?: true;
  /** Parts of the reconciled object that could not be read. They stay unchanged, and their messages are redelivered. */
  unread?: readonly FailedPart[];
  /** When to reconcile again even without a change. A distant time is left to the resync tick. */
  requeueAt?: Date;
}>;

/** A plan without decisions, issues and actions. */
export const emptyPlan: Plan = { decisions: [], issues: [], actions: [] };

/** The verdict if the input lacks an object that the comparison needs. */
export const notCompared = "not compared";

/** Returns what was not checked for a decision, such as an unreachable API or files of other MachineConfigs. */
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
