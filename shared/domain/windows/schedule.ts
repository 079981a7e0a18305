import { Cron } from "croner";
import type { WallTime } from "./zone.ts";

/** When something happens by a wall clock, without a zone. */
export type Schedule = Readonly<{
  /** Up to `count` wall times after this one, the soonest first. */
  after(wallTime: WallTime, count: number): readonly WallTime[];
}>;

const prefix = /^Cron(?:Pattern|Date)?: /;

/**
 * Reads a cron schedule: minute, hour, day of month, month, day of week, or one of `@hourly`, `@daily`, `@midnight`,
 * `@weekly`, `@monthly`, `@yearly`, `@annually`. As in cron, a day counts when either of the two day fields matches,
 * if both are set. Answers a `problem` when it cannot be read.
 */
export function readSchedule(text: string): Readonly<{ schedule: Schedule } | { problem: string }> {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5 && !/^@[a-z]+$/.test(text.trim()))
    return { problem: `A schedule has five fields, this has ${text.trim() === "" ? 0 : fields.length}` };
  try {
    // In UTC every wall time happens exactly once; the zone has its say afterwards.
    const cron = new Cron(fields.join(" "), { timezone: "UTC", mode: "5-part" });
    const after = (wallTime: WallTime, count: number) =>
      cron.nextRuns(count, new Date(wallTime)).map((date) => date.getTime());
    return { schedule: { after } };
  } catch (error) {
    return { problem: error instanceof Error ? error.message.replace(prefix, "") : String(error) };
  }
}
