import { printable, sentence } from "../text/redact.ts";
import { type CronField, cronFields, dateTest, isAny, valuesOf, weekdayTest } from "./cron-field.ts";

/** A schedule by wall clock, without a time zone. */
export type Schedule = Readonly<{
  /** The times of a day at which it opens, in milliseconds after midnight, soonest first. */
  times: readonly number[];
  /** Reports whether it opens on a day, which is given as the number of days since 1970-01-01. */
  opensOn(day: number): boolean;
  /** The two day fields, if both restrict the day, so that either one is enough. */
  eitherDay?: Readonly<{ day: string; weekday: string }>;
}>;

/** Reports whether a schedule opens on any day; the calendar of 28 years has each weekday on each date. */
export function everOpens({ opensOn }: Schedule): boolean {
  for (let of = 0; of < 28 * 366; of++) if (opensOn(of)) return true;
  return false;
}

/** What is wrong with a schedule. */
export type ScheduleProblem = Readonly<{ problem: string; remedy?: string }>;

type ReadSchedule = Readonly<{ schedule: Schedule }> | ScheduleProblem;

const minute = 60 * 1000;
const day = 24 * 60 * minute;

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** A fleet's windows are read for each decision about it. */
const known = new Map<string, ReadSchedule>();
/** More schedules than a fleet has, and longer than people write them: their texts are from outside. */
const [maxKnown, maxKnownLength] = [200, 100];

/**
 * Reads a cron schedule: minute, hour, day of month, month, day of week, or one of `@hourly`, `@daily`, `@midnight`,
 * `@weekly`, `@monthly`, `@yearly`, `@annually`. What Kubernetes' cron library (robfig/cron) accepts means the same here.
 * Returns a `problem` when it is invalid.
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
  const [, zone] = /^\s*(?:CRON_)?TZ=(\S*)/i.exec(text) ?? [];
  if (zone !== undefined)
    return {
      problem: "A schedule has no time zone of its own",
      remedy: sentence`Set spec.timeZone, e.g. to ${zone || "Europe/Berlin"}, and leave only the five fields in spec.schedule.`,
    };
  const trimmed = text.trim();
  const fields = (macros.get(trimmed.toLowerCase()) ?? trimmed).split(/\s+/);
  const [minutes = "", hours = "", dates = "", months = "", weekdays = ""] = fields;
  if (fields.length !== 5)
    return { problem: `A schedule has five fields, this has ${trimmed === "" ? 0 : fields.length}` };
  const withoutStart = /(?:^|,)(\/\d+)/.exec(fields.join(","))?.[1];
  if (withoutStart)
    return {
      problem: sentence`${withoutStart} has no start value; for a step from the start of the range write *${withoutStart}`,
    };
  const invalid: string[] = [];
  const itemsOf = <Item>(list: string, { name }: CronField, read: (item: string) => Item | undefined) =>
    list.split(",").flatMap((item): readonly Item[] => {
      const found = read(item);
      if (found === undefined) invalid.push(sentence`Invalid value for ${name}: ${item}`);
      return found === undefined ? [] : [found];
    });
  const numbersOf = (list: string, field: CronField) =>
    new Set(itemsOf(list, field, (item) => valuesOf(item, field)).flat());
  const inMinutes = numbersOf(minutes, cronFields.minute);
  const inHours = numbersOf(hours, cronFields.hour);
  const onDates = itemsOf(dates, cronFields.date, dateTest);
  const inMonths = numbersOf(months, cronFields.month);
  // With `+` before the days of a week, both day fields have to match.
  const needsBoth = weekdays.startsWith("+");
  const onWeekdays = itemsOf(needsBoth ? weekdays.slice(1) : weekdays, cronFields.weekday, weekdayTest);
  const [problem] = invalid;
  // A part of a credential has no form of its own.
  if (problem !== undefined)
    return { problem: printable(text) === text ? problem : "It is not a cron expression" };

  const isEither = !needsBoth && !isAny(dates) && !isAny(weekdays);
  const times = [...inHours].flatMap((hour) => [...inMinutes].map((of) => (hour * 60 + of) * minute));
  return {
    schedule: {
      times: times.sort((a, b) => a - b),
      opensOn(number) {
        const at = new Date(number * day);
        if (!inMonths.has(at.getUTCMonth() + 1)) return false;
        const lastDate = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
        const today = { date: at.getUTCDate(), weekday: at.getUTCDay(), lastDate };
        const isDate = onDates.some((test) => test(today));
        const isWeekday = onWeekdays.some((test) => test(today));
        return isEither ? isDate || isWeekday : isDate && isWeekday;
      },
      ...(isEither ? { eitherDay: { day: dates, weekday: weekdays } } : {}),
    },
  };
}
