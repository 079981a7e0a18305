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
const constant = (value: number, minutes = 60) => `${value}x${minutes}`;

const lease = 'hubrelay_leading{lease="hubrelay/hubrelay-forwarder"}';
const renewed = 'hubrelay_lease_renewed_timestamp_seconds{lease="hubrelay/hubrelay-forwarder"}';
const heartbeat = "hubrelay_forward_heartbeat_timestamp_seconds";
const ticked = "hubrelay_window_tick_timestamp_seconds";
const succeeded = (cronjob: string) =>
  `kube_cronjob_status_last_successful_time{namespace="hubrelay",cronjob="hubrelay-${cronjob}"}`;
/** 0 as long as the CronJob exists and is not suspended. */
const suspended = (cronjob: string) =>
  `kube_cronjob_spec_suspend{namespace="hubrelay",cronjob="hubrelay-${cronjob}"}`;
const unavailable =
  'kube_deployment_status_replicas_unavailable{namespace="hubrelay",deployment="hubrelay-mirror-config"}';
const restarts =
  'kube_pod_container_status_restarts_total{namespace="hubrelay",pod="hubrelay-mirror-config-6d4b",container="hubrelay"}';
const waiting = 'hubrelay_queue_waiting_messages{queue="mirror-configs",pod="a"}';
const inFlight = 'hubrelay_queue_in_flight_messages{queue="mirror-configs",pod="a"}';
const dead = 'hubrelay_queue_dead_letters{queue="mirror-configs",pod="a"}';
const refused = 'hubrelay_outcomes_refused_total{function="run",sink="tickets"}';
const ofFunction = (name: string) => `${name}{function="mirror-config"}`;
const ages = (le: string) => `hubrelay_event_age_seconds_bucket{function="mirror-config",le="${le}"}`;

const clockDifference = (pod: string) => `hubrelay_clock_difference_seconds{pod="${pod}"}`;
const ofUpgrade = (name: string) => `hubrelay_upgrade_${name}{upgrade="fleet/july",pod="a"}`;
const registryAccess = 'hubrelay_registry_access_remaining_seconds{what="token",registry="quay.io",pod="a"}';
const heldOpenings = 'hubrelay_held_openings{kind="MachineConfigPool",pod="a"}';
const heldSeconds = 'hubrelay_held_seconds{kind="MachineConfigPool",pod="a"}';

const theQueue = { queue: "mirror-configs" };
const theUpgrade = { upgrade: "fleet/july" };
const theFunction = { function: "mirror-config" };

/** Another situation of an alert, in which a rule that is nearly right is wrong. */
export type OtherCase = Omit<AlertCase, "fires" | "quiet"> &
  Readonly<{ when: string; series: Series; fires: boolean }>;

export const cases: readonly AlertCase[] = [
  {
    alert: "HubrelayNobodyForwards",
    atMinutes: 20,
    fires: { [lease]: `1x5 ${constant(0)}` },
    quiet: { [lease]: constant(1) },
  },
  {
    alert: "HubrelayForwarderBehind",
    atMinutes: 30,
    fires: { 'hubrelay_forward_waiting_events{queue="mirror-configs"}': constant(3) },
    labels: theQueue,
    // Empty now and then: the queue accepts them.
    quiet: { 'hubrelay_forward_waiting_events{queue="mirror-configs"}': "3x9 0 3x9 0 3x20" },
  },
  {
    alert: "HubrelayEventsTakeLong",
    atMinutes: 40,
    fires: { [ages("300")]: "0+1x60", [ages("900")]: "0+10x60", [ages("+Inf")]: "0+10x60" },
    labels: theFunction,
    quiet: { [ages("300")]: "0+10x60", [ages("900")]: "0+10x60", [ages("+Inf")]: "0+10x60" },
  },
  {
    alert: "HubrelayFails",
    atMinutes: 20,
    fires: { [ofFunction("hubrelay_failures_total")]: "0x10 1x20" },
    labels: theFunction,
    quiet: { [ofFunction("hubrelay_failures_total")]: constant(5) },
  },
  {
    alert: "HubrelayRetries",
    atMinutes: 23,
    // One message that fails: its fifth attempt is after half a minute, the tenth after 17 minutes.
    fires: { [ofFunction("hubrelay_repeated_retries_total")]: "0x10 1 2 3 3 4x3 5x7 6x30" },
    labels: theFunction,
    quiet: { [ofFunction("hubrelay_repeated_retries_total")]: constant(5) },
  },
  {
    alert: "HubrelayDeadLetters",
    atMinutes: 20,
    fires: { [ofFunction("hubrelay_dead_letters_total")]: "0x10 1x20" },
    labels: theFunction,
    quiet: { [ofFunction("hubrelay_dead_letters_total")]: constant(5) },
  },
  {
    alert: "HubrelayForwarderSilent",
    atMinutes: 40,
    fires: { [heartbeat]: `${clock(10)} ${constant(600)}`, [succeeded("resync")]: clock(60) },
    quiet: { [heartbeat]: clock(60), [succeeded("resync")]: clock(60) },
  },
  {
    alert: "HubrelayLeaseNotRenewed",
    atMinutes: 20,
    fires: { [renewed]: `${clock(10)} ${constant(600)}` },
    labels: { lease: "hubrelay/hubrelay-forwarder" },
    quiet: { [renewed]: clock(60) },
  },
  {
    alert: "HubrelayWorkerDoesNotStart",
    atMinutes: 20,
    fires: { [unavailable]: constant(1) },
    labels: { namespace: "hubrelay", deployment: "hubrelay-mirror-config" },
    // A rollout takes a few minutes.
    quiet: { [unavailable]: `0x10 1x5 ${constant(0)}` },
  },
  {
    alert: "HubrelayPodRestarts",
    atMinutes: 60,
    // It runs for five minutes each time, and the kubelet waits for five.
    fires: { [restarts]: "5x30 6x9 7x9 8x30" },
    labels: { pod: "hubrelay-mirror-config-6d4b", container: "hubrelay" },
    quiet: { [restarts]: "5x40 6x10 7x60" },
  },
  {
    alert: "HubrelayQueueBacklog",
    atMinutes: 30,
    fires: { [waiting]: constant(500) },
    labels: theQueue,
    quiet: { [waiting]: "500x12 20 500x12 20 500x20" },
  },
  {
    alert: "HubrelayQueueNotRead",
    atMinutes: 30,
    fires: { [waiting]: constant(1), [inFlight]: constant(0) },
    labels: theQueue,
    // Somebody receives messages, although some always wait.
    quiet: { [waiting]: constant(50), [inFlight]: "0x9 10 0x9 10 0x9 10x9" },
  },
  {
    alert: "HubrelayDeadLettersWait",
    atMinutes: 20,
    fires: { [dead]: constant(2) },
    labels: theQueue,
    quiet: { [dead]: `2x5 ${constant(0)}` },
  },
  {
    alert: "HubrelaySinkRefuses",
    atMinutes: 50,
    // Every 15 minutes, as at the end of the growing pauses.
    fires: { [refused]: "0x3 1x14 2x14 3x14 4x20" },
    labels: { sink: "tickets" },
    quiet: { [refused]: "0x3 1x60" },
  },
  {
    alert: "HubrelayTickNeverSucceeded",
    atMinutes: 30,
    fires: { [suspended("resync")]: constant(0) },
    labels: { cronjob: "hubrelay-resync" },
    quiet: { [suspended("resync")]: constant(0), [succeeded("resync")]: constant(300) },
  },
  {
    alert: "HubrelayWindowTickFails",
    atMinutes: 20,
    fires: { [ticked]: `${clock(5)} ${constant(300)}`, [lease]: constant(1) },
    // Without a leader another alert is enough.
    quiet: { [ticked]: `${clock(5)} ${constant(300)}`, [lease]: constant(0) },
  },
  {
    alert: "HubrelayResyncFails",
    atMinutes: 40,
    fires: { [succeeded("resync")]: `${clock(10)} ${constant(600)}` },
    quiet: { [succeeded("resync")]: clock(60) },
  },
  {
    alert: "HubrelayClustersFail",
    atMinutes: 40,
    fires: { [ofUpgrade("failed_ratio")]: `0x10 ${constant(0.06)}` },
    labels: theUpgrade,
    quiet: { [ofUpgrade("failed_ratio")]: constant(0.05) },
  },
  {
    alert: "HubrelayUpgradeLate",
    atMinutes: 40,
    fires: { [ofUpgrade("late_clusters")]: `0x10 ${constant(3)}` },
    labels: theUpgrade,
    // Late in one measurement, as while a failed cluster is retried.
    quiet: { [ofUpgrade("late_clusters")]: `0x34 3x4 ${constant(0)}` },
  },
  {
    alert: "HubrelayChangeHeld",
    atMinutes: 40,
    fires: { [heldOpenings]: `2x10 ${constant(3)}`, [heldSeconds]: clock(60) },
    labels: { kind: "MachineConfigPool" },
    quiet: { [heldOpenings]: constant(2), [heldSeconds]: clock(60) },
  },
  {
    alert: "HubrelayImagesNotReady",
    atMinutes: 60,
    fires: { [ofUpgrade("not_ready_opening_seconds")]: `${60 * (24 * 60 + 20)}-60x100` },
    labels: theUpgrade,
    quiet: { [ofUpgrade("not_ready_opening_seconds")]: `${60 * 30 * 60}-60x100` },
  },
  {
    alert: "HubrelayRegistryAccessEnds",
    atMinutes: 40,
    fires: { [registryAccess]: `${14 * 86_400 + 600}-60x60` },
    labels: { what: "token", registry: "quay.io" },
    quiet: { [registryAccess]: `${15 * 86_400}-60x60` },
  },
  {
    alert: "HubrelayLoginEnds",
    atMinutes: 20,
    fires: {
      'hubrelay_login_remaining_seconds{function="mirror-config",pod="old"}': constant(14 * 86_400 - 60),
      'hubrelay_login_remaining_seconds{function="mirror-config",pod="new"}': constant(90 * 86_400),
    },
    labels: theFunction,
    quiet: { [ofFunction("hubrelay_login_remaining_seconds")]: constant(14 * 86_400) },
  },
  {
    alert: "HubrelayClockDiffers",
    atMinutes: 20,
    fires: { [clockDifference("a")]: constant(60.5), [clockDifference("b")]: constant(0.4) },
    labels: { pod: "a" },
    quiet: { [clockDifference("a")]: constant(60), [clockDifference("b")]: "0x18 3000 0x30" },
  },
];

export const otherCases: readonly OtherCase[] = [
  {
    alert: "HubrelayForwarderSilent",
    when: "another forwarder has just taken over and has had no heartbeat yet",
    atMinutes: 40,
    series: {
      [`${heartbeat}{pod="old"}`]: "0+60x38 stale",
      [`${heartbeat}{pod="new"}`]: "_x38 0x2 2460+60x20",
      [succeeded("resync")]: clock(60),
    },
    fires: false,
  },
  {
    alert: "HubrelayForwarderSilent",
    when: "the forwarder has never had a heartbeat",
    atMinutes: 40,
    series: { [heartbeat]: constant(0), [succeeded("resync")]: clock(60) },
    fires: true,
  },
  {
    alert: "HubrelayRetries",
    when: "the API server did not respond for two minutes",
    atMinutes: 18,
    series: { [ofFunction("hubrelay_repeated_retries_total")]: "0x10 10 20 30x60" },
    fires: false,
  },
  {
    alert: "HubrelayRetries",
    when: "the topic has refused outcomes for an hour, which are then retried every 15 minutes",
    atMinutes: 72,
    labels: theFunction,
    series: { [ofFunction("hubrelay_repeated_retries_total")]: "0x10 1 2 3 3 4x3 5x7 6x14 7x14 8x14 9x14" },
    fires: true,
  },
  {
    alert: "HubrelayRetries",
    when: "the topic has accepted outcomes for half an hour",
    atMinutes: 70,
    series: { [ofFunction("hubrelay_repeated_retries_total")]: "0x10 1 2 3 3 4x3 5x7 6x14 7x60" },
    fires: false,
  },
  {
    alert: "HubrelayDeadLetters",
    when: "the message itself made KEDA start the pod, so that its first sample counts it",
    atMinutes: 15,
    labels: theFunction,
    series: { 'hubrelay_dead_letters_total{function="mirror-config",pod="new"}': "_x10 1x30" },
    fires: true,
  },
  {
    alert: "HubrelayDeadLetters",
    when: "there was one long ago, and Prometheus was away for some minutes",
    atMinutes: 42,
    series: { [ofFunction("hubrelay_dead_letters_total")]: "1x20 _x10 1x60" },
    fires: false,
  },
  {
    alert: "HubrelayForwarderBehind",
    when: "a forwarder has just begun to send all that exists",
    atMinutes: 30,
    series: { 'hubrelay_forward_waiting_events{queue="mirror-configs"}': "_x29 3000x30" },
    fires: false,
  },
  {
    alert: "HubrelayQueueBacklog",
    when: "the pod that counts is new",
    atMinutes: 30,
    series: { [waiting]: "_x29 3000x30" },
    fires: false,
  },
  {
    alert: "HubrelayTickNeverSucceeded",
    when: "it is new",
    atMinutes: 30,
    series: { [suspended("resync")]: "_x15 0x30" },
    fires: false,
  },
];
