import { expect, test } from "vitest";
import { anUpgrade } from "../../../../test/support/precache/precache-plan-objects.ts";
import { nextDeadline } from "./deadlines.ts";
import { plannedUpgrade } from "./planned-upgrade.ts";

const aPlannedUpgrade = (timeout: unknown) => ({
  ...anUpgrade({ remediationStrategy: { maxConcurrency: 1, timeout } }),
  status: { precaching: { clusters: ["sno1"] } },
});

test.for([
  { timeout: undefined, minutes: 240 },
  { timeout: 90, minutes: 90 },
  { timeout: 0, minutes: 240 },
  { timeout: -5, minutes: 240 },
  // More seconds than that are no deadline of a Pod, and far more no date.
  { timeout: Number.MAX_SAFE_INTEGER, minutes: 35_791_394 },
])(
  "When an upgrade's timeout is $timeout, a cluster should have $minutes minutes",
  ({ timeout, minutes }) => {
    const timeoutMinutes = plannedUpgrade(aPlannedUpgrade(timeout))?.timeoutMinutes ?? 0;
    expect(timeoutMinutes).toBe(minutes);
    const running = {
      state: "Active",
      reason: "Pulling",
      message: "",
      attempt: 1,
      since: "2026-03-01T00:00:00Z",
      started: "2026-03-01T00:00:00Z",
    } as const;
    expect(nextDeadline(running, timeoutMinutes)?.getTime()).toBe(
      Date.parse(running.started) + (minutes * 60 + 120) * 1000,
    );
  },
);
