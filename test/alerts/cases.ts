/** Series by name, each with its values in promtool's notation, one a minute: `0+60x30` is 0, 60, … 1800. */
type Series = Readonly<Record<string, string>>;

/** When an alert fires, and when it does not: series, and the labels that it has at `atMinutes`. */
export type AlertCase = Readonly<{
  alert: string;
  atMinutes: number;
  fires: Series;
  /** The labels that come from the series. */
  labels?: Readonly<Record<string, string>>;
  quiet: Series;
}>;

/** The time of Prometheus' tests in seconds: it begins at 0. */
const clock = (minutes: number) => `0+60x${minutes}`;
const day = 86_400;

const lease = 'hubrelay_leading{lease="hubrelay/hubrelay-forwarder"}';
const renewed = 'hubrelay_lease_renewed_timestamp_seconds{lease="hubrelay/hubrelay-forwarder"}';
const heartbeat = "hubrelay_forward_heartbeat_timestamp_seconds";
const behind = 'hubrelay_forward_waiting_events{queue="mirror-configs"}';
const succeeded = (cronjob: string) =>
  `kube_cronjob_status_last_successful_time{namespace="hubrelay",cronjob="hubrelay-${cronjob}"}`;
const resynced = succeeded("resync");
/** 0 as long as the CronJob exists and is not suspended. */
const suspended = 'kube_cronjob_spec_suspend{namespace="hubrelay",cronjob="hubrelay-resync"}';
const never = { [suspended]: "0x60" };
const unavailable =
  'kube_deployment_status_replicas_unavailable{namespace="hubrelay",deployment="hubrelay-mirror-config"}';
const restarts =
  'kube_pod_container_status_restarts_total{namespace="hubrelay",pod="hubrelay-mirror-config-6d4b",container="hubrelay"}';
const waiting = 'hubrelay_queue_waiting_messages{queue="mirror-configs",pod="a"}';
const inFlight = 'hubrelay_queue_in_flight_messages{queue="mirror-configs",pod="a"}';
const dead = 'hubrelay_queue_dead_letters{queue="mirror-configs",pod="a"}';
const refused = 'hubrelay_outcomes_refused_total{function="run",sink="tickets"}';
const failures = 'hubrelay_failures_total{function="mirror-config"}';
const retries = 'hubrelay_repeated_retries_total{function="mirror-config"}';
const deadLetters = 'hubrelay_dead_letters_total{function="mirror-config"}';
const ofUpgrade = (name: string) => `hubrelay_upgrade_${name}{upgrade="fleet/july",pod="a"}`;
const [failed, late, opening] = [
  ofUpgrade("failed_ratio"),
  ofUpgrade("late_clusters"),
  ofUpgrade("not_ready_opening_seconds"),
];
const access = 'hubrelay_registry_access_remaining_seconds{what="token",registry="quay.io",pod="a"}';

const ages = (le: string) => `hubrelay_event_age_seconds_bucket{function="mirror-config",le="${le}"}`;
/** Ten events a minute, of which so many are done within five minutes. */
const ageSeries = (quick: number): Series => ({
  [ages("300")]: `0+${quick}x60`,
  [ages("900")]: "0+10x60",
  [ages("+Inf")]: "0+10x60",
});
const beats = (values: string): Series => ({ [heartbeat]: values, [resynced]: clock(60) });
const queued = (messages: string, received: string) => ({ [waiting]: messages, [inFlight]: received });
const tickOf = (leading: string): Series => ({
  hubrelay_window_tick_timestamp_seconds: `${clock(5)} 300x60`,
  [lease]: leading,
});
const held = (seconds: string): Series => ({
  'hubrelay_held_seconds{kind="MachineConfigPool",pod="a"}': seconds,
});
const logins = (seconds: number): Series => ({
  'hubrelay_login_remaining_seconds{function="mirror-config",pod="old"}': `${seconds}x60`,
  'hubrelay_login_remaining_seconds{function="mirror-config",pod="new"}': `${90 * day}x60`,
});
const clocks = (a: string, b: string): Series => ({
  'hubrelay_clock_difference_seconds{pod="a"}': a,
  'hubrelay_clock_difference_seconds{pod="b"}': b,
});

const theQueue = { queue: "mirror-configs" };
const theUpgrade = { upgrade: "fleet/july" };
const theFunction = { function: "mirror-config" };
const theLease = { lease: "hubrelay/hubrelay-forwarder" };
const theWorker = { namespace: "hubrelay", deployment: "hubrelay-mirror-config" };
const thePod = { pod: "hubrelay-mirror-config-6d4b", container: "hubrelay" };
const theSink = { sink: "tickets" };
const theCronJob = { cronjob: "hubrelay-resync" };
const theToken = { what: "token", registry: "quay.io" };

/** Another situation of an alert, in which a rule that is nearly right is wrong. */
export type OtherCase = Omit<AlertCase, "fires" | "quiet"> &
  Readonly<{ when: string; series: Series; fires: boolean }>;

type Row = readonly [alert: string, atMinutes: number, fires: Series, quiet: Series, labels?: Series];

const rows: readonly Row[] = [
  ["HubrelayNobodyForwards", 20, { [lease]: "1x5 0x60" }, { [lease]: "1x60" }],
  // Empty now and then: the queue accepts them.
  ["HubrelayForwarderBehind", 30, { [behind]: "3x60" }, { [behind]: "3x9 0 3x9 0 3x20" }, theQueue],
  ["HubrelayEventsTakeLong", 40, ageSeries(1), ageSeries(10), theFunction],
  ["HubrelayFails", 20, { [failures]: "0x10 1x20" }, { [failures]: "5x60" }, theFunction],
  // One message that fails: its fifth attempt is after half a minute, the tenth after 17 minutes.
  ["HubrelayRetries", 23, { [retries]: "0x10 1 2 3 3 4x3 5x7 6x30" }, { [retries]: "5x60" }, theFunction],
  ["HubrelayDeadLetters", 20, { [deadLetters]: "0x10 1x20" }, { [deadLetters]: "5x60" }, theFunction],
  ["HubrelayForwarderSilent", 40, beats(`${clock(10)} 600x60`), beats(clock(60))],
  ["HubrelayLeaseNotRenewed", 20, { [renewed]: `${clock(10)} 600x60` }, { [renewed]: clock(60) }, theLease],
  // A rollout takes a few minutes.
  [
    "HubrelayWorkerDoesNotStart",
    20,
    { [unavailable]: "1x60" },
    { [unavailable]: "0x10 1x5 0x60" },
    theWorker,
  ],
  // It runs for five minutes each time, and the kubelet waits for five.
  ["HubrelayPodRestarts", 60, { [restarts]: "5x30 6x9 7x9 8x30" }, { [restarts]: "5x40 6x10 7x60" }, thePod],
  [
    "HubrelayQueueBacklog",
    30,
    { [waiting]: "500x60" },
    { [waiting]: "500x12 20 500x12 20 500x20" },
    theQueue,
  ],
  // Somebody receives messages, although some always wait.
  ["HubrelayQueueNotRead", 30, queued("1x60", "0x60"), queued("50x60", "0x9 10 0x9 10 0x9 10x9"), theQueue],
  ["HubrelayDeadLettersWait", 20, { [dead]: "2x60" }, { [dead]: "2x5 0x60" }, theQueue],
  // Every 15 minutes, as at the end of the growing pauses.
  ["HubrelaySinkRefuses", 50, { [refused]: "0x3 1x14 2x14 3x14 4x20" }, { [refused]: "0x3 1x60" }, theSink],
  ["HubrelayTickNeverSucceeded", 30, never, { ...never, [succeeded("resync")]: "300x60" }, theCronJob],
  // Without a leader another alert is enough.
  ["HubrelayWindowTickFails", 20, tickOf("1x60"), tickOf("0x60")],
  ["HubrelayResyncFails", 40, { [resynced]: `${clock(10)} 600x60` }, { [resynced]: clock(60) }],
  ["HubrelayClustersFail", 40, { [failed]: "0x10 0.06x60" }, { [failed]: "0.05x60" }, theUpgrade],
  // Late in one measurement, as while a failed cluster is retried.
  ["HubrelayUpgradeLate", 40, { [late]: "0x10 3x60" }, { [late]: "0x34 3x4 0x60" }, theUpgrade],
  ["HubrelayChangeHeld", 40, held("604200+60x60"), held("601200+60x60"), { kind: "MachineConfigPool" }],
  ["HubrelayImagesNotReady", 60, { [opening]: "87600-60x100" }, { [opening]: "108000-60x100" }, theUpgrade],
  ["HubrelayRegistryAccessEnds", 40, { [access]: "1210200-60x60" }, { [access]: "1296000-60x60" }, theToken],
  ["HubrelayLoginEnds", 20, logins(14 * day - 60), logins(14 * day), theFunction],
  ["HubrelayClockDiffers", 20, clocks("60.5x60", "0.4x60"), clocks("60x60", "0x18 3000 0x30"), { pod: "a" }],
];

export const cases: readonly AlertCase[] = rows.map(([alert, atMinutes, fires, quiet, labels]) => ({
  alert,
  atMinutes,
  fires,
  quiet,
  ...(labels ? { labels } : {}),
}));

type OtherRow = readonly [
  alert: string,
  when: string,
  atMinutes: number,
  fires: boolean,
  series: Series,
  labels?: Series,
];

const takenOver = {
  [`${heartbeat}{pod="old"}`]: "0+60x38 stale",
  [`${heartbeat}{pod="new"}`]: "_x38 0x2 2460+60x20",
  [resynced]: clock(60),
};
const started = 'hubrelay_dead_letters_total{function="mirror-config",pod="new"}';
const slow = "0x10 1 2 3 3 4x3 5x7 6x14";

const otherRows: readonly OtherRow[] = [
  ["ForwarderSilent", "another has just taken over and has had no heartbeat yet", 40, false, takenOver],
  ["ForwarderSilent", "the forwarder has never had a heartbeat", 40, true, beats("0x60")],
  ["Retries", "the API server did not respond for two minutes", 18, false, { [retries]: "0x10 10 20 30x60" }],
  [
    "Retries",
    "outcomes are refused for an hour",
    72,
    true,
    { [retries]: `${slow} 7x14 8x14 9x14` },
    theFunction,
  ],
  ["Retries", "the topic has accepted outcomes for half an hour", 70, false, { [retries]: `${slow} 7x60` }],
  ["DeadLetters", "the first sample of a pod counts it", 15, true, { [started]: "_x10 1x30" }, theFunction],
  ["DeadLetters", "there was one long ago, before a gap", 42, false, { [deadLetters]: "1x20 _x10 1x60" }],
  ["ForwarderBehind", "a forwarder has just begun to send all", 30, false, { [behind]: "_x29 3000x30" }],
  ["QueueBacklog", "the pod that counts is new", 30, false, { [waiting]: "_x29 3000x30" }],
  ["TickNeverSucceeded", "it is new", 30, false, { [suspended]: "_x15 0x30" }],
];

export const otherCases: readonly OtherCase[] = otherRows.map(
  ([alert, when, atMinutes, fires, series, labels]) => ({
    alert: `Hubrelay${alert}`,
    when,
    atMinutes,
    fires,
    series,
    ...(labels ? { labels } : {}),
  }),
);
