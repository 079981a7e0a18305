import { fieldWarning, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** The time of a decision by hubrelay's clock. */
export type Clock = Readonly<{
  now: Date;
  /** The seconds by which it is ahead of the hub's clock, negative if it is behind; absent when unknown. */
  clockAheadSeconds?: number | undefined;
}>;

/** With a larger difference maintenance windows stay closed: whether they are open would be uncertain. */
export const maxClockDifferenceSeconds = 60;

/**
 * Returns why no maintenance window opens: hubrelay's clock differs from the hub's. The text has no seconds, because an
 * object that shows it must not change with each measurement.
 */
export function clockProblem({ clockAheadSeconds = 0 }: Clock): string | undefined {
  if (Math.abs(clockAheadSeconds) <= maxClockDifferenceSeconds) return undefined;
  const side = clockAheadSeconds > 0 ? "ahead of" : "behind";
  return `hubrelay's clock is more than ${maxClockDifferenceSeconds} s ${side} the hub's: no maintenance window opens`;
}

/** Returns a warning for a window, or for an object that waits for one, while the clocks differ. */
export function clockIssues(object: KubernetesObject, clock: Clock): readonly Issue[] {
  const message = clockProblem(clock);
  const remedy =
    "Synchronize the hub's nodes and the machines on which hubrelay runs with the same time server (NTP).";
  return message ? [fieldWarning(object, "", undefined, { code: "ClockDiffers", message, remedy })] : [];
}

/** Returns the time at which windows are evaluated: the hub's while the clocks differ, so that open windows still close. */
export function windowTime(clock: Clock): Date {
  const { now, clockAheadSeconds = 0 } = clock;
  return clockProblem(clock) ? new Date(now.getTime() - clockAheadSeconds * 1000) : now;
}
