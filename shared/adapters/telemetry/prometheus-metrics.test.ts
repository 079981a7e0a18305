import { expect, test } from "vitest";
import type { LogEntry } from "../../ports/log.ts";
import { prometheusMetrics } from "./prometheus-metrics.ts";

/** The lines of one entry, except those of zero. */
async function lines(...entries: readonly LogEntry[]): Promise<readonly string[]> {
  const metrics = prometheusMetrics();
  const log = metrics.log("mirror-config");
  for (const entry of entries) log(entry);
  const text = await metrics.text();
  return text.split("\n").filter((line) => /^hubrelay_/.test(line) && !/ 0$/.test(line));
}

test.for<readonly [entry: LogEntry, line: string]>([
  [
    { event: "dead-lettered", messageId: "1", reason: "r" },
    'hubrelay_dead_letters_total{function="mirror-config"} 1',
  ],
  [{ event: "failed", key: "k", error: "e" }, 'hubrelay_failures_total{function="mirror-config"} 1'],
  [
    { event: "heartbeat", atMs: 1_772_330_400_000 },
    "hubrelay_forward_heartbeat_timestamp_seconds 1772330400",
  ],
  [{ event: "windows-ticked", atMs: 1_772_330_400_000 }, "hubrelay_window_tick_timestamp_seconds 1772330400"],
  [
    { event: "lease-renewed", lease: "ns/name", atMs: 1_772_330_400_000 },
    'hubrelay_lease_renewed_timestamp_seconds{lease="ns/name"} 1772330400',
  ],
  [
    { event: "queue-depth", queue: "mirror-configs", waiting: 3, inFlight: 0 },
    'hubrelay_queue_waiting_messages{queue="mirror-configs"} 3',
  ],
  [
    { event: "queue-depth", queue: "mirror-configs", waiting: 0, inFlight: 4 },
    'hubrelay_queue_in_flight_messages{queue="mirror-configs"} 4',
  ],
  [
    { event: "queue-depth", queue: "mirror-configs", waiting: 0, inFlight: 0, deadLetters: 2 },
    'hubrelay_queue_dead_letters{queue="mirror-configs"} 2',
  ],
  [{ event: "leading", lease: "ns/name" }, 'hubrelay_leading{lease="ns/name"} 1'],
])("When $0 is logged, it should count", async ([entry, line]) => {
  expect(await lines(entry)).toEqual([line]);
});

test("When a reconcile is done, it should measure its duration and the age of its oldest event in seconds", async () => {
  const all = await lines({ event: "reconciled", key: "k", messages: 2, durationMs: 30, ageMs: 4_000 });
  expect(all).toContain('hubrelay_reconcile_duration_seconds_sum{function="mirror-config"} 0.03');
  expect(all).toContain('hubrelay_reconcile_duration_seconds_bucket{le="0.05",function="mirror-config"} 1');
  expect(all).toContain('hubrelay_event_age_seconds_sum{function="mirror-config"} 4');
  expect(all).not.toContain('hubrelay_event_age_seconds_bucket{le="2.5",function="mirror-config"} 1');
});

test("When the same message fails for the fifth time, it should count", async () => {
  const all = await lines({ event: "retry", key: "k", error: "e", delaySeconds: 32, attempt: 5 });
  expect(all).toEqual(['hubrelay_repeated_retries_total{function="mirror-config"} 1']);
});

test("When a queue rejects and accepts again, it should show what waits", async () => {
  const retry = { error: "e", delaySeconds: 1, attempt: 1 };
  const rejected: LogEntry = { event: "not-forwarded", queue: "q", waiting: 40, ...retry };
  const waiting = 'hubrelay_forward_waiting_events{queue="q"}';
  expect(await lines(rejected)).toContain(`${waiting} 40`);
  const accepted = await lines(rejected, { event: "forwarded", queue: "q", messages: 10, waiting: 30 });
  expect(accepted).toContain(`${waiting} 30`);
});

const measuredFleet: LogEntry = {
  event: "fleet-measured",
  upgrades: [
    {
      upgrade: "fleet/july",
      groups: [
        { group: "failed", clusters: 2 },
        { group: "done", clusters: 38 },
      ],
      failedShare: 0.05,
      late: 3,
      notReadyOpensInSeconds: 600,
    },
  ],
  heldSeconds: 7_200,
  access: [{ what: "token", name: "quay.io", remainingSeconds: 90 }],
};
const upgradeLines = [
  'hubrelay_upgrade_clusters{upgrade="fleet/july",state="failed"} 2',
  'hubrelay_upgrade_clusters{upgrade="fleet/july",state="done"} 38',
  'hubrelay_upgrade_failed_ratio{upgrade="fleet/july"} 0.05',
  'hubrelay_upgrade_late_clusters{upgrade="fleet/july"} 3',
  'hubrelay_upgrade_not_ready_opening_seconds{upgrade="fleet/july"} 600',
];
const otherLines = [
  'hubrelay_held_seconds{kind="MachineConfigPool"} 7200',
  'hubrelay_registry_access_remaining_seconds{what="token",registry="quay.io"} 90',
];

test("When the fleet is measured, it should be shown by upgrade", async () => {
  expect(await lines(measuredFleet)).toEqual([...upgradeLines, ...otherLines]);
});

test("When an upgrade is over, or the Lease is another's, nothing of the upgrade should be left", async () => {
  expect(await lines(measuredFleet, { ...measuredFleet, upgrades: [] })).toEqual(otherLines);
  expect(await lines(measuredFleet, { event: "standing-by", lease: "ns/name", holder: "other" })).toEqual([]);
});

test("When the Lease is lost, what only the leader measures should be gone, so that no alert goes on about it", async () => {
  const all = await lines(
    { event: "leading", lease: "ns/name" },
    { event: "queue-depth", queue: "q", waiting: 3, inFlight: 1, deadLetters: 2 },
    { event: "not-forwarded", queue: "q", waiting: 40, error: "e", delaySeconds: 1, attempt: 1 },
    { event: "login", remainingSeconds: 60 },
    { event: "clock", aheadSeconds: 3 },
    { event: "standing-by", lease: "ns/name", holder: "other" },
  );
  expect(all).toEqual([]);
});

test("When a function starts, its counters should be 0, so that the first failure is an increase", async () => {
  const metrics = prometheusMetrics();
  const log = metrics.log("mirror-config");
  expect(await metrics.text()).toContain('hubrelay_failures_total{function="mirror-config"} 0');
  expect(await metrics.text()).toContain('hubrelay_dead_letters_total{function="mirror-config"} 0');
  log({ event: "outcomes-sent", sink: "tickets", messages: 0 });
  const refused = 'hubrelay_outcomes_refused_total{function="mirror-config",sink="tickets"} 0';
  expect(await metrics.text()).toContain(refused);
});
