import type { Issue } from "../domain/issues/issue.ts";
import type { ClusterGroup } from "../domain/precache-progress/fleet/cluster-groups.ts";
import type { AccessEnd } from "../domain/ready/access-ends.ts";

/** The figures of one ClusterGroupUpgrade's pre-caching. */
export type UpgradeMetrics = Readonly<{
  /** The ClusterGroupUpgrade's `namespace/name`. */
  upgrade: string;
  /** The number of clusters in each group of `precache status`, without empty groups. */
  groups: readonly Readonly<{ group: ClusterGroup; clusters: number }>[];
  /** The share of failed clusters, from 0 to 1. */
  failedShare: number;
  /** How many clusters will still pre-cache when the rollout starts, by forecast. Absent if no start time is known. */
  late?: number;
  /** Seconds until the first cluster may start; 0 if it may start already. Present only while images are not ready. */
  notReadyOpensInSeconds?: number;
}>;

/** The figures of a fleet. Their number is limited, even if the fleet is very large. */
export type FleetMetrics = Readonly<{
  upgrades: readonly UpgradeMetrics[];
  /** How many seconds the oldest change that hubrelay holds back has waited. 0 if no change is held back. */
  heldSeconds: number;
  /** How long registries' certificates, CA bundles and tokens are still valid, as ReadinessReports say. */
  access: readonly (Pick<AccessEnd, "what" | "name"> & Readonly<{ remainingSeconds: number }>)[];
}>;

type LogEvent =
  | Readonly<{ event: "event-received"; type: string; subject: string; messageId: string; eventId?: string }>
  | Readonly<{ event: "event-ignored"; type: string; subject: string; reason: string }>
  /** A message about an object was replaced by `messages` new messages, one for each key that the object concerns. */
  | Readonly<{ event: "replaced"; subject: string; queue: string; messages: number }>
  | Readonly<{ event: "decided"; key: string; subject: string; verdict: string; reason: string }>
  | Readonly<{ event: "issue"; key: string; issue: Issue }>
  | Readonly<{ event: "published"; key: string; type: string; subject: string; id: string }>
  | Readonly<{ event: "written"; key: string; verb: string; object: string; reason: string }>
  /** A function has sent messages to another function, or to itself with a delay. */
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
      /** The age of the oldest message at the reconcile's end, in milliseconds, without a requested delay. */
      ageMs: number;
      /** The ids of the other events that this reconcile handled. */
      joined?: readonly string[];
      /** Set if nothing was written or sent. */
      isUnchanged?: true;
    }>
  | Readonly<{ event: "handled"; messages: number; failed: number }>
  /** A resync tick has sent references to objects. The queues in `postponed` got none, since they have a backlog. */
  | Readonly<{ event: "resynced"; messages: number; unchanged: number; postponed: readonly string[] }>
  | Readonly<{ event: "failed"; key: string; error: string }>
  /** A change on the hub is being forwarded to these queues. */
  | Readonly<{ event: "noticed"; subject: string; verb: string; queues: readonly string[] }>
  /** A queue has accepted events. `waiting` events must still be sent to it. */
  | Readonly<{ event: "forwarded"; queue: string; messages: number; waiting: number }>
  /** A queue could not be reached or has rejected events. The events are sent again. */
  | Readonly<{
      event: "not-forwarded";
      queue: string;
      waiting: number;
      error: string;
      delaySeconds: number;
      attempt: number;
    }>
  /** A sink, which is a server for outcomes, has accepted outcomes. If `messages` is 0, the sink was only opened. */
  | Readonly<{ event: "outcomes-sent"; sink: string; messages: number }>
  | Readonly<{ event: "outcomes-refused"; sink: string; messages: number; error: string }>
  | Readonly<{ event: "hub-requested"; verb: string; resource: string }>
  /** References to all objects of these kinds that existed when the watch started have been sent. */
  | Readonly<{ event: "synced"; kinds: readonly string[] }>
  | Readonly<{ event: "queue-depth"; queue: string; waiting: number; inFlight: number; deadLetters?: number }>
  /** The forwarder has sent all existing objects, its watches work, and its queues accept messages. */
  | Readonly<{ event: "heartbeat"; atMs: number }>
  /** The resync tick has read the forwarder's last heartbeat from this Lease. */
  | Readonly<{ event: "heartbeat-read"; lease: string; silentSeconds: number }>
  | (Readonly<{ event: "fleet-measured" }> & FleetMetrics)
  /** How long the process's login on the hub is still valid. Negative after its end. */
  | Readonly<{ event: "login"; remainingSeconds: number }>
  /** The seconds by which the process's clock is ahead of the hub's. Negative if it is behind. */
  | Readonly<{ event: "clock"; aheadSeconds: number }>
  /** References to all maintenance windows were sent, so that windows open and close in time. */
  | Readonly<{ event: "windows-ticked"; atMs: number }>
  | Readonly<{ event: "leading"; lease: string }>
  | Readonly<{ event: "lease-renewed"; lease: string; atMs: number }>
  | Readonly<{ event: "standing-by"; lease: string; holder: string }>
  | Readonly<{ event: "started"; process: string; functions: readonly string[]; address?: string }>
  /** The queues of this process are served at this address with SQS's protocol, on this machine only. */
  | Readonly<{ event: "queues-opened"; address: string }>
  /** These functions are running but do nothing, because of a setting. */
  | Readonly<{ event: "functions-off"; functions: readonly string[]; reason: string }>
  | Readonly<{ event: "stopping"; process: string; reason: string }>
  | Readonly<{ event: "stopped"; process: string }>;

/** An event in a function, as data for log and metrics. An entry contains names of objects, never their content. */
export type LogEntry = LogEvent &
  Readonly<{
    /** The id of the hub event that led to this entry. It is the same in all functions. */
    correlationId?: string;
  }>;

export type Log = (entry: LogEntry) => void;
