import { fieldWarning, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** The moment of a decision by hubrelay's own clock. */
export type Clock = Readonly<{
  now: Date;
  /** By how many seconds it is ahead of the hub's clock, negative if it is behind; absent where that is not known. */
  clockAheadSeconds?: number | undefined;
}>;

/** With a larger difference it is not known whether a maintenance window is open. */
export const maxClockDifferenceSeconds = 60;

/**
 * Returns why no maintenance window opens: own clock and hub's disagree. The text has no seconds, because an object that
 * shows it must not change with each measurement.
 */
export function clockProblem({ clockAheadSeconds = 0 }: Clock): string | undefined {
  if (Math.abs(clockAheadSeconds) <= maxClockDifferenceSeconds) return undefined;
  const side = clockAheadSeconds > 0 ? "ahead of" : "behind";
  return `hubrelay's clock is more than ${maxClockDifferenceSeconds} s ${side} the hub's: no maintenance window opens`;
}

/** Returns the warning about an object that waits for a window, or is one, while the clocks disagree. */
export function clockIssues(object: KubernetesObject, clock: Clock): readonly Issue[] {
  const message = clockProblem(clock);
  const remedy =
    "Synchronize the hub's nodes and the machines on which hubrelay runs with the same time server (NTP).";
  return message ? [fieldWarning(object, "", undefined, { code: "ClockDiffers", message, remedy })] : [];
}

/** Returns the moment at which windows are evaluated: where the clocks disagree, by the hub's, so that they still close. */
export function windowTime(clock: Clock): Date {
  const { now, clockAheadSeconds = 0 } = clock;
  return clockProblem(clock) ? new Date(now.getTime() - clockAheadSeconds * 1000) : now;
}
