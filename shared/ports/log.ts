import type { Issue } from "../domain/issues/issue.ts";
import type { ClusterGroup } from "../domain/precache-progress/fleet/cluster-groups.ts";
import type { AccessEnd } from "../domain/ready/access-ends.ts";

/** One upgrade in numbers. */
export type UpgradeMetrics = Readonly<{
  /** `namespace/name`. */
  upgrade: string;
  /** Clusters by the groups of `precache status`, without empty ones. */
  groups: readonly Readonly<{ group: ClusterGroup; clusters: number }>[];
  /** The share of the clusters that failed, from 0 to 1. */
  failedShare: number;
  /** Clusters without an end that end later than the plan's forecast said; absent where it said nothing. */
  late?: number;
  /**
   * Seconds until its first clusters may start, 0 where some may now, while they wait for images that mirrors do not have;
   * absent otherwise.
   */
  notReadyOpensInSeconds?: number;
}>;

/** Changes of pools that are held. */
export type HeldChanges = Readonly<{
  /** For how long the oldest of them has been held; 0 without one. */
  oldestSeconds: number;
  /** The most openings of a window that have passed while a change was held. */
  openings: number;
}>;

/** A fleet in numbers, bounded however large it is. */
export type FleetMetrics = Readonly<{
  upgrades: readonly UpgradeMetrics[];
  held: HeldChanges;
  /** For how many seconds certificates, bundles and tokens for registries last, as reports have them. */
  access: readonly (Pick<AccessEnd, "what" | "name"> & Readonly<{ remainingSeconds: number }>)[];
}>;

type LogEvent =
  | Readonly<{ event: "event-received"; type: string; subject: string; messageId: string; eventId?: string }>
  | Readonly<{ event: "event-ignored"; type: string; subject: string; reason: string }>
  /** A function has sent itself this many messages instead of one about a source; no two for the same key. */
  | Readonly<{ event: "replaced"; subject: string; queue: string; messages: number }>
  | Readonly<{ event: "decided"; key: string; subject: string; verdict: string; reason: string }>
  | Readonly<{ event: "issue"; key: string; issue: Issue }>
  | Readonly<{ event: "published"; key: string; type: string; subject: string; id: string }>
  | Readonly<{ event: "written"; key: string; verb: string; object: string; reason: string }>
  /** A function has sent messages to another function, or to itself for later. */
  | Readonly<{ event: "sent"; key: string; queue: string; messages: number; reason: string }>
  | Readonly<{ event: "conflict"; key: string; object: string }>
  | Readonly<{ event: "requeued"; key: string; delaySeconds: number }>
  | Readonly<{ event: "retry"; key: string; error: string; delaySeconds: number; attempt: number }>
  | Readonly<{ event: "dead-lettered"; messageId: string; reason: string }>
  | Readonly<{
      event: "reconciled";
      key: string;
      messages: number;
      durationMs: number;
      /** From when the oldest message was sent, or due if hubrelay delayed it, to the end of its reconcile. */
      ageMs: number;
      /** The ids of other events that were handled together with the one whose id is on the entry. */
      joined?: readonly string[];
      /** There was nothing to write or to send: the messages were repeated, late, or false. */
      isUnchanged?: true;
    }>
  /** A batch of messages was handled; the failed ones are received again. */
  | Readonly<{ event: "handled"; messages: number; failed: number }>
  /** A tick has sent references, except to the queues that are behind. */
  | Readonly<{ event: "resynced"; messages: number; unchanged: number; postponed: readonly string[] }>
  | Readonly<{ event: "failed"; key: string; error: string }>
  /** A change on the hub is being forwarded to these queues. */
  | Readonly<{ event: "noticed"; subject: string; verb: string; queues: readonly string[] }>
  /** A queue has accepted events; `waiting` events are still to be sent to it. */
  | Readonly<{ event: "forwarded"; queue: string; messages: number; waiting: number }>
  /** A queue has rejected events; they wait and are sent again. */
  | Readonly<{
      event: "not-forwarded";
      queue: string;
      waiting: number;
      error: string;
      delaySeconds: number;
      attempt: number;
    }>
  /** A server for outcomes over HTTP has accepted some; none when it is opened. */
  | Readonly<{ event: "outcomes-sent"; sink: string; messages: number }>
  /** Such a server has not accepted some; they are sent again. */
  | Readonly<{ event: "outcomes-refused"; sink: string; messages: number; error: string }>
  /** The hub's API server was sent a request. */
  | Readonly<{ event: "hub-requested"; verb: string; resource: string }>
  /** Everything that existed when the watch began has been sent. */
  | Readonly<{ event: "synced"; kinds: readonly string[] }>
  /** How much waits in a queue and, where it can be read, in its dead-letter queue. */
  | Readonly<{ event: "queue-depth"; queue: string; waiting: number; inFlight: number; deadLetters?: number }>
  /** The forwarder has sent all that exists, its watches work, and its queues respond and accept messages. */
  | Readonly<{ event: "heartbeat"; atMs: number }>
  /** The resync tick has read the last heartbeat of the forwarder that holds this Lease. */
  | Readonly<{ event: "heartbeat-read"; lease: string; silentSeconds: number }>
  /** What the fleet looks like, every five minutes. */
  | (Readonly<{ event: "fleet-measured" }> & FleetMetrics)
  /** For how long the process may still log in to the hub; negative after the end. */
  | Readonly<{ event: "login"; remainingSeconds: number }>
  /** By how much the process's clock is ahead of the hub's; negative if it is behind. */
  | Readonly<{ event: "clock"; aheadSeconds: number }>
  /** A reference to each maintenance window was sent, for those that open or close now. */
  | Readonly<{ event: "windows-ticked"; atMs: number }>
  | Readonly<{ event: "leading"; lease: string }>
  /** The leader has renewed its Lease. */
  | Readonly<{ event: "lease-renewed"; lease: string; atMs: number }>
  | Readonly<{ event: "standing-by"; lease: string; holder: string }>
  | Readonly<{ event: "started"; process: string; functions: readonly string[]; address?: string }>
  /** The queues of this process are at this endpoint of SQS's protocol, on this machine only. */
  | Readonly<{ event: "queues-opened"; address: string }>
  /** These functions run, but do nothing, for a reason that is in the settings. */
  | Readonly<{ event: "functions-off"; functions: readonly string[]; reason: string }>
  | Readonly<{ event: "stopping"; process: string; reason: string }>
  | Readonly<{ event: "stopped"; process: string }>;

/**
 * What happens in a function, as data: the only source of telemetry. The JSON log, the live view of `hubrelay dev` and
 * the metrics are all made from these entries. No entry holds an object's content, only names.
 */
export type LogEntry = LogEvent &
  Readonly<{
    /** The id of the hub event that led to this entry. Every entry up to the outcome has it, in every function. */
    correlationId?: string;
  }>;

export type Log = (entry: LogEntry) => void;
