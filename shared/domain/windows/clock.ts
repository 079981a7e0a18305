import { fieldWarning, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";

/** hubrelay's clock at the time of a decision. */
export type Clock = Readonly<{
  now: Date;
  /** How many seconds `now` is ahead of the hub's clock, negative if behind; absent if unknown. */
  clockAheadSeconds?: number | undefined;
}>;

/** If hubrelay's clock and the hub's clock differ by more than this, no maintenance window opens. */
export const maxClockDifferenceSeconds = 60;

/** Returns a text if hubrelay's clock differs from the hub's clock. It has no seconds, so that it rarely changes. */
export function clockProblem({ clockAheadSeconds = 0 }: Clock): string | undefined {
  if (Math.abs(clockAheadSeconds) <= maxClockDifferenceSeconds) return undefined;
  const side = clockAheadSeconds > 0 ? "ahead of" : "behind";
  return `hubrelay's clock is more than ${maxClockDifferenceSeconds} s ${side} the hub's: no maintenance window opens`;
}

/** Returns a warning on this object if hubrelay's clock differs from the hub's clock. */
export function clockIssues(object: KubernetesObject, clock: Clock): readonly Issue[] {
  const message = clockProblem(clock);
  const remedy =
    "Synchronize the hub's nodes and the machines on which hubrelay runs with the same time server (NTP).";
  return message ? [fieldWarning(object, "", undefined, { code: "ClockDiffers", message, remedy })] : [];
}

/** Returns the time at which windows are evaluated: the hub's if the clocks differ, so that windows still close. */
export function windowTime(clock: Clock): Date {
  const { now, clockAheadSeconds = 0 } = clock;
  return clockProblem(clock) ? new Date(now.getTime() - clockAheadSeconds * 1000) : now;
}
