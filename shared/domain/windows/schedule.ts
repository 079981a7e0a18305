import { printable, sentence } from "../text/redact.ts";

type CronField = Readonly<{
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}>;

type CalendarDay = Readonly<{ date: number; weekday: number; lastDate: number }>;

const daysOfWeek = "SUN MON TUE WED THU FRI SAT".split(" ");
const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

const cronFields = {
  minute: { name: "minute", min: 0, max: 59 },
  hour: { name: "hour", min: 0, max: 23 },
  date: { name: "day", min: 1, max: 31 },
  month: { name: "month", min: 1, max: 12, names: months },
  weekday: { name: "day of week", min: 0, max: 6, names: daysOfWeek },
} as const satisfies Readonly<Record<string, CronField>>;

function numberOf(text: string, { min, names = [] }: CronField): number {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return min + named;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** As in Kubernetes' cron library, `5/20` is every 20th value from 5 on. As in other crons, 7 is also Sunday. */
function valuesOf(item: string, field: CronField): readonly number[] | undefined {
  const [, from = "", to, step = "1"] = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item) ?? [];
  const isStar = from === "*" || from === "?";
  if (isStar && to !== undefined) return undefined;
  const isWeekday = field === cronFields.weekday;
  const first = isStar ? field.min : numberOf(from, field);
  const named = to === undefined ? first : numberOf(to, field);
  const isOpenEnded = isStar || (to === undefined && item.includes("/"));
  const last = isOpenEnded ? field.max : isWeekday && named === 0 && first > 0 ? 7 : named;
  const highest = isWeekday && !isOpenEnded ? 7 : field.max;
  if (!(first >= field.min && first <= last && last <= highest && Number(step) > 0)) return undefined;
  const count = Math.floor((last - first) / Number(step)) + 1;
  return Array.from({ length: count }, (_, index) => first + index * Number(step)).map((value) =>
    isWeekday ? value % 7 : value,
  );
}

/** Reports whether a field allows every value: one star in its list is enough, as in Kubernetes' cron library. */
function isAny(text: string): boolean {
  return text.split(",").some((item) => /^[*?](?:\/0*1)?$/.test(item));
}

type DayTest = (day: CalendarDay) => boolean;

/** `L` is the last day of the month. */
function dateTest(item: string): DayTest | undefined {
  if (/^L$/i.test(item)) return ({ date, lastDate }) => date === lastDate;
  const values = valuesOf(item, cronFields.date);
  return values && (({ date }) => values.includes(date));
}

/** `SAT#1` is the first Saturday of the month, `SAT#L` the last. */
function weekdayTest(item: string): DayTest | undefined {
  const [, nthDays, nth = ""] = /^(.+?)#([1-5L])$/i.exec(item) ?? [];
  const values = valuesOf(nthDays ?? item, cronFields.weekday);
  if (!values) return undefined;
  if (nthDays === undefined) return ({ weekday }) => values.includes(weekday);
  return ({ date, weekday, lastDate }) =>
    values.includes(weekday) &&
    (/^L$/i.test(nth) ? date + 7 > lastDate : Math.ceil(date / 7) === Number(nth));
}

/** A schedule in local time, without a time zone. */
export type Schedule = Readonly<{
  /** The start times of a day, in milliseconds after midnight, the earliest first. */
  times: readonly number[];
  /** Reports whether openings start on a day, given as the number of days since 1970-01-01. */
  opensOn(day: number): boolean;
  /** The texts of both day fields if neither allows every day: the window opens on days that match either field. */
  eitherDay?: Readonly<{ day: string; weekday: string }>;
}>;

/** Reports whether a schedule ever opens. In the 28 years that it checks, every date falls on every weekday. */
export function everOpens({ opensOn }: Schedule): boolean {
  for (let of = 0; of < 28 * 366; of++) if (opensOn(of)) return true;
  return false;
}

type ScheduleProblem = Readonly<{ problem: string; remedy?: string }>;

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

/** A cache of parsed schedules by their text. Each decision about a fleet reads its windows again. */
const known = new Map<string, ReadSchedule>();
const [maxKnown, maxKnownLength] = [200, 100];

/**
 * Reads a cron schedule with five fields, or a name such as `@daily`. A schedule that Kubernetes' cron library
 * (robfig/cron) accepts as well has the same meaning there.
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
  const onWeekdays = itemsOf(weekdays, cronFields.weekday, weekdayTest);
  const [problem] = invalid;
  // The problem may quote a part of the text, and a credential is recognizable only in the whole text.
  if (problem !== undefined)
    return { problem: printable(text) === text ? problem : "It is not a cron expression" };

  const isEither = !isAny(dates) && !isAny(weekdays);
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
