/** A field of a cron schedule. */
export type CronField = Readonly<{
  name: string;
  min: number;
  max: number;
  /** The names of the values, from `min` on. */
  names?: readonly string[];
}>;

/** What schedules read of a day. */
export type CalendarDay = Readonly<{ date: number; weekday: number; lastDate: number }>;

const daysOfWeek = "SUN MON TUE WED THU FRI SAT".split(" ");
const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

export const cronFields = {
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

/**
 * Returns the values of one item of a field's list: a value, a range or a star, with or without a step;
 * undefined when it is invalid. As in Kubernetes' cron library, `5/20` is every 20 from 5 to the end. As in other crons, 7 is a Sunday too,
 * and a range of days may end on Sunday.
 */
export function valuesOf(item: string, field: CronField): readonly number[] | undefined {
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

/** Reports whether a field restricts nothing. As in Kubernetes' cron library, one star of its list is enough. */
export function isAny(text: string): boolean {
  return text.split(",").some((item) => /^[*?](?:\/0*1)?$/.test(item));
}

type DayTest = (day: CalendarDay) => boolean;

/** Returns the day from Monday to Friday that is nearest to a date of the month. */
function nearestWorkday(of: number, { date, weekday, lastDate }: CalendarDay): number {
  const at = (((weekday + of - date) % 7) + 7) % 7;
  if (at === 0) return of === lastDate ? of - 2 : of + 1;
  if (at === 6) return of === 1 ? of + 2 : of - 1;
  return of;
}

/** Returns what an item of the days of a month means: a number, `L` for the last day, `15W` for the nearest workday. */
export function dateTest(item: string): DayTest | undefined {
  if (/^L$/i.test(item)) return ({ date, lastDate }) => date === lastDate;
  if (/^LW$/i.test(item)) return (day) => day.date === nearestWorkday(day.lastDate, day);
  const [, workday] = /^(\d+)W$/i.exec(item) ?? [];
  const values = valuesOf(workday ?? item, cronFields.date);
  if (!values) return undefined;
  if (workday === undefined) return ({ date }) => values.includes(date);
  const of = Number(workday);
  return (day) => of <= day.lastDate && day.date === nearestWorkday(of, day);
}

/** Returns what an item of the days of a week means: a number or name, `SAT#1` for the first, `SAT#L` for the last. */
export function weekdayTest(item: string): DayTest | undefined {
  const [, nthDays, nth = "L"] = /^(.+?)(?:#([1-5L])|L)$/i.exec(item) ?? [];
  const values = valuesOf(nthDays ?? item, cronFields.weekday);
  if (!values) return undefined;
  if (nthDays === undefined) return ({ weekday }) => values.includes(weekday);
  return ({ date, weekday, lastDate }) =>
    values.includes(weekday) &&
    (/^L$/i.test(nth) ? date + 7 > lastDate : Math.ceil(date / 7) === Number(nth));
}
