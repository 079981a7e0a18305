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
  /** The hosted cluster (`namespace/name`) whose API gets the write; by default the hub's. */
  guest?: string;
  /** One sentence for the live view and the log. */
  reason: string;
  /** Errors that mean that the write is already done, so that no read is needed before it. */
  accepts?: Accepted | readonly Accepted[];
  /**
   * The part of the key that the write is about, e.g. a cluster: a failure affects only messages about this part, and
   * writes of other parts do not wait for it.
   */
  part?: string;
  /** Published only after the write succeeds. */
  outcomes?: readonly OutcomeEvent[];
}>;

/** Hints for another function. */
export type Send = Readonly<{
  /** hubrelay's queue name, as in `HUBRELAY_QUEUE_URLS`. */
  queue: string;
  events: readonly HubCloudEvent[];
  reason: string;
  /** The queue's delivery delay; at most 900. */
  delaySeconds?: number;
}>;

/** A part of the key with a failed read or write; other parts are not affected. */
export type FailedPart = Readonly<{ part: string; error: unknown }>;

/** A file of a pool's nodes that another MachineConfig writes than the compared one. */
export type UncomparedFile = Readonly<{ pool: string; machineConfig: string; path: string }>;

/** The decision about one subject, reported even when nothing is written. */
export type Decision = Readonly<{
  subject: string;
  verdict: string;
  reason: string;
  /** Who writes the subject, if known; absent when only hubrelay does. */
  owner?: string;
  /** The differences from the desired state, one sentence or change each; absent when nothing differs. */
  differences?: readonly string[];
  /** Files that also configure the subject's nodes but were not compared. */
  comparedWithout?: readonly UncomparedFile[];
}>;

/** The result of a reconcile: decided by a pure function from one snapshot. */
export type Plan = Readonly<{
  decisions: readonly Decision[];
  issues: readonly Issue[];
  /** Written first. If another writer was faster, nothing else is written or sent: it was decided from an outdated state. */
  guard?: Action;
  actions: readonly Action[];
  /**
   * Returns the outcomes of the state on the hub, with their original ids. They are published again for a redelivered
   * message, because the process that wrote may have been killed before it published. Outcomes of writes that are certainly
   * older than `since` may be left out.
   */
  standing?(since: Date): readonly OutcomeEvent[];
  /** Sent after all actions have succeeded, because they refer to the written state. */
  sends?: readonly Send[];
  /** Set when the actions were a first step: reconcile again at once. */
  again?: true;
  /** Parts that could not be read: their state stays unchanged, and their messages are redelivered. */
  unread?: readonly FailedPart[];
  /** When to reconcile again although nothing changes; the resync tick replaces a distant time. */
  requeueAt?: Date;
}>;

/** A plan without decisions, issues and actions. */
export const emptyPlan: Plan = { decisions: [], issues: [], actions: [] };

/** The verdict on a subject for whose comparison the input lacks something. */
export const notCompared = "not compared";

/** Returns what was not compared for a decision: unresponsive APIs, and files of other MachineConfigs. */
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
