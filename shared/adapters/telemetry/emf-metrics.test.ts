import { expect, test } from "vitest";
import type { LogEntry } from "../../ports/log.ts";
import { emfMetrics } from "./emf-metrics.ts";

const now = new Date("2026-03-01T02:00:00Z");

/** The lines that these entries write, as JSON. */
function lines(...entries: readonly LogEntry[]) {
  const written: string[] = [];
  const functionName = "hubrelay-prod-x";
  const log = emfMetrics((line) => written.push(line), { functionName, hub: "urn:hub", now: () => now });
  for (const entry of entries) log(entry);
  return written.map((line) => JSON.parse(line));
}

const reconciled = (ageMs: number): LogEntry => ({
  event: "reconciled",
  key: "k",
  messages: 1,
  durationMs: 250,
  ageMs,
});
const failed: LogEntry = { event: "failed", key: "k", error: "e" };
const handled: LogEntry = { event: "handled", messages: 2, failed: 0 };

test("When a batch is handled, it should write sums and every time in one line of CloudWatch's format", () => {
  expect(lines(failed, reconciled(1_500), failed, reconciled(500), handled)).toEqual([
    {
      _aws: {
        Timestamp: now.getTime(),
        CloudWatchMetrics: [
          {
            Namespace: "hubrelay",
            Dimensions: [["function"]],
            Metrics: [{ Name: "hubrelay_event_age_seconds", Unit: "Seconds" }],
          },
        ],
      },
      function: "hubrelay-prod-x",
      hub: "urn:hub",
      hubrelay_failures_total: 2,
      hubrelay_reconcile_duration_seconds: [0.25, 0.25],
      hubrelay_event_age_seconds: [1.5, 0.5],
    },
  ]);
});

test("When nothing essential is measured, it should stay in the line, where queries find it", () => {
  const [line] = lines(failed, handled);
  expect(line).toEqual({ function: "hubrelay-prod-x", hub: "urn:hub", hubrelay_failures_total: 1 });
});

test("When batches follow each other, each should write its own numbers", () => {
  const [first, second, ...more] = lines(reconciled(1), handled, reconciled(2), reconciled(3), handled);
  expect([first?.hubrelay_event_age_seconds, second?.hubrelay_event_age_seconds, more]).toEqual([
    [0.001],
    [0.002, 0.003],
    [],
  ]);
});

test("When nothing was measured, it should write nothing", () => {
  expect(lines(handled, { event: "started", process: "p", functions: [] })).toEqual([]);
});

test("When login, clock or the forwarder's silence is measured, it should be one metric for the hub", () => {
  const login: LogEntry = { event: "login", remainingSeconds: 86_400 };
  const clock: LogEntry = { event: "clock", aheadSeconds: -61.5 };
  const silence: LogEntry = { event: "heartbeat-read", lease: "hubrelay/forwarder", silentSeconds: 70 };
  // The rest of the tick may fail: then the forwarder is not the one that is silent.
  const [line] = lines(login, clock, silence);
  const metrics = line._aws.CloudWatchMetrics.map(
    ({ Dimensions, Metrics }: Readonly<{ Dimensions: unknown; Metrics: readonly { Name: string }[] }>) => [
      Dimensions,
      Metrics.map(({ Name }) => Name),
    ],
  );
  expect(metrics).toEqual([
    [
      [["hub"]],
      [
        "hubrelay_login_remaining_seconds",
        "hubrelay_clock_difference_seconds",
        "hubrelay_forward_silent_seconds",
      ],
    ],
  ]);
  expect(line).toMatchObject({
    hub: "urn:hub",
    hubrelay_login_remaining_seconds: [86_400],
    hubrelay_clock_difference_seconds: [61.5],
    hubrelay_forward_silent_seconds: [70],
  });
});

test("When a batch is empty, the login should still be measured", () => {
  const written = lines(
    { event: "login", remainingSeconds: 60 },
    { event: "handled", messages: 0, failed: 0 },
  );
  expect(written).toMatchObject([{ hubrelay_login_remaining_seconds: [60] }]);
});

test("When more is measured than CloudWatch accepts, the line should stay within its limit", () => {
  const [line] = lines(...Array.from({ length: 150 }, (_, index) => reconciled(index)), handled);
  expect(line.hubrelay_event_age_seconds).toHaveLength(100);
});

test("When the tick measures the fleet, the hub should have the numbers of all upgrades, so that an alarm finds the worst", () => {
  const upgrade = (failedShare: number, late: number) => ({
    upgrade: "fleet/july",
    groups: [],
    failedShare,
    late,
  });
  const entry: LogEntry = {
    event: "fleet-measured",
    upgrades: [upgrade(0.5, 0), { ...upgrade(0, 3), notReadyOpensInSeconds: 60 }],
    heldSeconds: 7_200,
    access: [],
  };
  const [line] = lines(entry);
  const [directive, ...others] = line._aws.CloudWatchMetrics;
  expect(others).toEqual([]);
  expect(directive).toEqual({
    Namespace: "hubrelay",
    Dimensions: [["hub"]],
    Metrics: [
      { Name: "hubrelay_upgrade_failed_ratio", Unit: "None" },
      { Name: "hubrelay_upgrade_late_clusters", Unit: "Count" },
      { Name: "hubrelay_upgrade_not_ready_opening_seconds", Unit: "Seconds" },
      { Name: "hubrelay_held_seconds", Unit: "Seconds" },
    ],
  });
  expect(line).toMatchObject({
    hubrelay_upgrade_failed_ratio: [0.5, 0],
    hubrelay_upgrade_late_clusters: [0, 3],
    hubrelay_upgrade_not_ready_opening_seconds: [60],
    hubrelay_held_seconds: [7_200],
  });
});
