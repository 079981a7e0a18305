import type { FleetMetrics, LogEntry, UpgradeMetrics } from "../../ports/log.ts";

export type Instrument = Readonly<{
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** Labels in addition to `function`. Each label must have a limited number of values. */
  labels?: readonly string[];
  /** Whether the metric has the label `function`. By default true. */
  ofFunction?: boolean;
  buckets?: readonly number[];
}>;

/** In seconds. The last limit is longer than the longest delay of a message in a queue. */
const ageBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const durationBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Labels = readonly string[];

const counter = (help: string, ...labels: Labels) => ({ type: "counter", help, labels }) as const;
const histogram = (help: string, buckets: readonly number[]) =>
  ({ type: "histogram", help, buckets }) as const;
const gauge = (help: string, ...labels: Labels) =>
  ({ type: "gauge", help, labels, ofFunction: false }) as const;
/** Only the newest upgrades are measured, which limits the number of series. */
const gaugeOfUpgrade = (help: string, ...labels: Labels) => gauge(help, "upgrade", ...labels);
const gaugeOfFunction = (help: string) => ({ type: "gauge", help }) as const;

/** Gauges whose series are all replaced when the fleet is measured, so that finished upgrades disappear. */
const fleetInstruments = {
  hubrelay_upgrade_clusters: gaugeOfUpgrade(
    "Clusters of an upgrade by state, in the words of precache status.",
    "state",
  ),
  hubrelay_upgrade_failed_ratio: gaugeOfUpgrade(
    "The failed clusters of an upgrade among all of its clusters.",
  ),
  hubrelay_upgrade_late_clusters: gaugeOfUpgrade(
    "Clusters of an upgrade that end after its rollout begins, without those that failed.",
  ),
  hubrelay_upgrade_not_ready_opening_seconds: gaugeOfUpgrade(
    "Until the first clusters of an upgrade may start, while mirrors do not have all of the images that they wait for.",
  ),
  hubrelay_held_seconds: gauge("For how long the oldest change of a pool has been held.", "kind"),
  hubrelay_registry_access_remaining_seconds: gauge(
    "For how long a registry's certificate, a bundle of certificate authorities or a pull secret's token lasts.",
    "what",
    "registry",
  ),
} satisfies Readonly<Record<string, Instrument>>;

/** Every metric that is made from the log, by name. */
export const instruments = {
  hubrelay_unchanged_events_total: counter(
    "Events after which nothing was written or sent: repeated, late or false.",
  ),
  hubrelay_dead_letters_total: counter("Unreadable messages, moved to the dead-letter queue at once."),
  hubrelay_reconcile_duration_seconds: histogram("Duration of a reconcile.", durationBuckets),
  hubrelay_event_age_seconds: histogram(
    "From when the oldest event was sent, or due if hubrelay delayed it, to the end of its reconcile.",
    ageBuckets,
  ),
  hubrelay_repeated_retries_total: counter(
    "Attempts that failed temporarily for the fifth time or more with the same message.",
  ),
  hubrelay_failures_total: counter("Attempts that failed with an error that a retry does not fix."),
  hubrelay_outcomes_sent_total: counter("Outcome events that a server for them has accepted.", "sink"),
  hubrelay_outcomes_refused_total: counter(
    "Outcome events that a server for them has not accepted, each attempt counted; they are sent again.",
    "sink",
  ),
  hubrelay_hub_requests_total: counter(
    "Requests to the hub's API server, by the verb and the resource of the right that each needs.",
    "verb",
    "resource",
  ),
  hubrelay_forward_waiting_events: gauge("Changes of the hub not yet accepted by a queue.", "queue"),
  hubrelay_forward_heartbeat_timestamp_seconds: gauge(
    "When the forwarder last had sent all that exists and reached its queues.",
  ),
  hubrelay_forward_silent_seconds: gauge(
    "Since the last heartbeat of the forwarder, as the resync tick found it on the Lease.",
    "lease",
  ),
  hubrelay_login_remaining_seconds: gaugeOfFunction(
    "For how long the process may still log in to the hub; absent where something renews the login.",
  ),
  hubrelay_clock_difference_seconds: gauge(
    "How far the process's clock is from the hub's; above 60 no maintenance window opens.",
  ),
  hubrelay_window_tick_timestamp_seconds: gauge(
    "When the forwarder last sent the tick of maintenance windows.",
  ),
  hubrelay_queue_waiting_messages: gauge("Messages in a queue that nobody has received yet.", "queue"),
  hubrelay_queue_in_flight_messages: gauge(
    "Messages in a queue that somebody has received and not deleted yet.",
    "queue",
  ),
  hubrelay_queue_dead_letters: gauge("Messages in the dead-letter queue of a queue.", "queue"),
  hubrelay_lease_renewed_timestamp_seconds: gauge("When this process last renewed the Lease.", "lease"),
  hubrelay_leading: gauge("1 while this process has the Lease.", "lease"),
  ...fleetInstruments,
} satisfies Readonly<Record<string, Instrument>>;

export type MetricName = keyof typeof instruments;

/** The names of the metrics about the fleet. */
export const measuredOfFleet: readonly string[] = Object.keys(fleetInstruments);

/** Names of metrics that only the leading forwarder measures. On standby a process clears them. */
export const measuredByLeader: readonly string[] = [
  ...([
    "hubrelay_forward_waiting_events",
    "hubrelay_login_remaining_seconds",
    "hubrelay_clock_difference_seconds",
    "hubrelay_queue_waiting_messages",
    "hubrelay_queue_in_flight_messages",
    "hubrelay_queue_dead_letters",
  ] satisfies MetricName[]),
  ...measuredOfFleet,
];

/** A value for one metric. It is added to a counter, set on a gauge, or observed by a histogram. */
export type Measurement = Readonly<{
  name: MetricName;
  value: number;
  labels: Readonly<Record<string, string>>;
}>;

const measured = (name: MetricName, value = 1, labels: Measurement["labels"] = {}): Measurement => ({
  name,
  value,
  labels,
});

function ofUpgrade(metrics: UpgradeMetrics): readonly Measurement[] {
  const { upgrade, groups, failedShare, late, notReadyOpensInSeconds } = metrics;
  const optional = (name: MetricName, value: number | undefined) =>
    value === undefined ? [] : [measured(name, value, { upgrade })];
  return [
    ...groups.map(({ group, clusters }) =>
      measured("hubrelay_upgrade_clusters", clusters, { upgrade, state: group }),
    ),
    measured("hubrelay_upgrade_failed_ratio", failedShare, { upgrade }),
    ...optional("hubrelay_upgrade_late_clusters", late),
    ...optional("hubrelay_upgrade_not_ready_opening_seconds", notReadyOpensInSeconds),
  ];
}

function ofFleet({ upgrades, heldSeconds, access }: FleetMetrics): readonly Measurement[] {
  return [
    ...upgrades.flatMap(ofUpgrade),
    measured("hubrelay_held_seconds", heldSeconds, { kind: "MachineConfigPool" }),
    ...access.map(({ what, name, remainingSeconds }) =>
      measured("hubrelay_registry_access_remaining_seconds", remainingSeconds, { what, registry: name }),
    ),
  ];
}

/** Returns the measurements of a log entry. Most entries have none. */
export function measurementsOf(entry: LogEntry): readonly Measurement[] {
  switch (entry.event) {
    case "dead-lettered":
      return [measured("hubrelay_dead_letters_total")];
    case "reconciled":
      return [
        measured("hubrelay_reconcile_duration_seconds", entry.durationMs / 1000),
        measured("hubrelay_event_age_seconds", entry.ageMs / 1000),
        ...(entry.isUnchanged ? [measured("hubrelay_unchanged_events_total", entry.messages)] : []),
      ];
    case "retry":
      return entry.attempt >= 5 ? [measured("hubrelay_repeated_retries_total")] : [];
    case "failed":
      return [measured("hubrelay_failures_total")];
    case "forwarded":
    case "not-forwarded":
      return [measured("hubrelay_forward_waiting_events", entry.waiting, { queue: entry.queue })];
    case "outcomes-sent":
      return [
        measured("hubrelay_outcomes_sent_total", entry.messages, { sink: entry.sink }),
        measured("hubrelay_outcomes_refused_total", 0, { sink: entry.sink }),
      ];
    case "outcomes-refused":
      return [measured("hubrelay_outcomes_refused_total", entry.messages, { sink: entry.sink })];
    case "hub-requested":
      return [measured("hubrelay_hub_requests_total", 1, { verb: entry.verb, resource: entry.resource })];
    case "queue-depth":
      return [
        measured("hubrelay_queue_waiting_messages", entry.waiting, { queue: entry.queue }),
        measured("hubrelay_queue_in_flight_messages", entry.inFlight, { queue: entry.queue }),
        ...(entry.deadLetters === undefined
          ? []
          : [measured("hubrelay_queue_dead_letters", entry.deadLetters, { queue: entry.queue })]),
      ];
    case "heartbeat":
      return [measured("hubrelay_forward_heartbeat_timestamp_seconds", entry.atMs / 1000)];
    case "heartbeat-read":
      return [measured("hubrelay_forward_silent_seconds", entry.silentSeconds, { lease: entry.lease })];
    case "login":
      return [measured("hubrelay_login_remaining_seconds", entry.remainingSeconds)];
    case "clock":
      return [measured("hubrelay_clock_difference_seconds", Math.abs(entry.aheadSeconds))];
    case "windows-ticked":
      return [measured("hubrelay_window_tick_timestamp_seconds", entry.atMs / 1000)];
    case "lease-renewed":
      return [
        measured("hubrelay_lease_renewed_timestamp_seconds", entry.atMs / 1000, { lease: entry.lease }),
      ];
    case "leading":
    case "standing-by":
      return [measured("hubrelay_leading", entry.event === "leading" ? 1 : 0, { lease: entry.lease })];
    case "fleet-measured":
      return ofFleet(entry);
    default:
      return [];
  }
}
