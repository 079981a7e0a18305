import { fieldWarning, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** hubrelay's clock at the time of a decision. */
export type Clock = Readonly<{
  now: Date;
  /** How many seconds `now` is ahead of the hub's clock, negative if behind; absent if unknown. */
  clockAheadSeconds?: number | undefined;
}>;

/** Maintenance windows stay closed if the clocks differ by more than this: it is uncertain whether a window is open. */
export const maxClockDifferenceSeconds = 60;

/**
 * Returns the reason why no maintenance window opens if hubrelay's clock differs from the hub's; otherwise undefined. The
 * text has no seconds, so that an object with this text does not change with each measurement.
 */
export function clockProblem({ clockAheadSeconds = 0 }: Clock): string | undefined {
  if (Math.abs(clockAheadSeconds) <= maxClockDifferenceSeconds) return undefined;
  const side = clockAheadSeconds > 0 ? "ahead of" : "behind";
  return `hubrelay's clock is more than ${maxClockDifferenceSeconds} s ${side} the hub's: no maintenance window opens`;
}

/** Returns a warning on a window, or on an object that waits for one, if hubrelay's clock differs from the hub's. */
export function clockIssues(object: KubernetesObject, clock: Clock): readonly Issue[] {
  const message = clockProblem(clock);
  const remedy =
    "Synchronize the hub's nodes and the machines on which hubrelay runs with the same time server (NTP).";
  return message ? [fieldWarning(object, "", undefined, { code: "ClockDiffers", message, remedy })] : [];
}

/** Returns the time at which windows are evaluated: the hub's if the clocks differ, so that open windows still close. */
export function windowTime(clock: Clock): Date {
  const { now, clockAheadSeconds = 0 } = clock;
  return clockProblem(clock) ? new Date(now.getTime() - clockAheadSeconds * 1000) : now;
}
