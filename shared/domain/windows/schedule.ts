import { Cron } from "croner";
import { messageOf } from "../credentials/error-text.ts";
import { redactForeign, sentence } from "../credentials/redact.ts";
import type { WallTime } from "./zone.ts";

/** A schedule by wall clock, without a time zone. */
export type Schedule = Readonly<{
  /** Returns up to `count` wall times after this one, soonest first. */
  after(wallTime: WallTime, count: number): readonly WallTime[];
}>;

const prefix = /^Cron(?:Pattern|Date)?: /;

/** The library counts days and months from 0 in its error messages. */
function problemText(message: string): string {
  return message
    .replace(prefix, "")
    .replace(
      /(Invalid value for (?:day|month): )(-?\d+)/,
      (_all, text, value) => `${text}${Number(value) + 1}`,
    );
}

type ReadSchedule = Readonly<{ schedule: Schedule } | { problem: string }>;

/** Parsing takes longer than finding the next opening, and a fleet's windows are read for each decision about it. */
const known = new Map<string, ReadSchedule>();
/** More schedules than a fleet has, and longer than people write them: their texts are from outside. */
const [maxKnown, maxKnownLength] = [200, 100];

/**
 * Reads a cron schedule: minute, hour, day of month, month, day of week, or one of `@hourly`, `@daily`, `@midnight`,
 * `@weekly`, `@monthly`, `@yearly`, `@annually`. As in cron, a day matches when either of the two day fields does, if
 * both are set; and as in Kubernetes CronJobs, `5/20` starts at 5. Returns a `problem` when it is invalid.
 */
export function readSchedule(text: string): ReadSchedule {
  const remembered = known.get(text);
  if (remembered) return remembered;
  const read = parsedSchedule(text);
  if (known.size >= maxKnown) known.clear();
  if (text.length <= maxKnownLength) known.set(text, read);
  return read;
}

function parsedSchedule(text: string): ReadSchedule {
  const fields = text.trim().split(/\s+/);
  const isMacro = fields.length === 1 && /^@[a-z]+$/i.test(text.trim());
  if (fields.length !== 5 && !isMacro)
    return { problem: `A schedule has five fields, this has ${text.trim() === "" ? 0 : fields.length}` };
  const withoutStart = /(?:^|,)(\/\d+)/.exec(fields.join(","))?.[1];
  if (withoutStart)
    return {
      problem: sentence`${withoutStart} has no start value; for a step from the start of the range write *${withoutStart}`,
    };
  try {
    // In UTC every wall time happens exactly once; the zone is applied later. With an offset instead of the name of a zone
    // the library does not format dates, which takes four fifths of the time.
    const cron = new Cron(isMacro ? fields.join(" ").toLowerCase() : fields.join(" "), {
      utcOffset: 0,
      mode: "5-part",
      sloppyRanges: true,
    });
    const after = (wallTime: WallTime, count: number) =>
      cron.nextRuns(count, new Date(wallTime)).map((date) => date.getTime());
    return { schedule: { after } };
  } catch (error) {
    // The library quotes a part of the text; a part of a credential has no form of its own.
    const problem =
      redactForeign(text) === text ? problemText(messageOf(error)) : "It is not a cron expression";
    return { problem };
  }
}

/**
 * Returns the two day fields of a valid schedule if both restrict the day, so that either one is enough. With `+` before
 * the day of week both have to match.
 */
export function eitherDayOf(text: string): Readonly<{ day: string; weekday: string }> | undefined {
  const [, , day = "*", , weekday = "*"] = text.trim().split(/\s+/);
  const isAny = (field: string) => field === "*" || field === "?";
  return isAny(day) || isAny(weekday) || weekday.startsWith("+") ? undefined : { day, weekday };
}
