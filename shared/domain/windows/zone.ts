import { dayAndTime } from "../text/human-readable.ts";

/** A local date and time, as the milliseconds from 1970 to the same date and time in UTC. */
export type WallTime = number;

/** The rules of a time zone. */
export type Zone = Readonly<{
  name: string;
  wallTimeAt(instant: Date): WallTime;
  /** Returns the instant of a local time: the first if it occurs twice, the end of the gap if the clock skips it. */
  instantOf(wallTime: WallTime): Date;
  /** Returns a local day; `day` is the number of days since 1970-01-01. */
  localDay(day: number): LocalDay;
}>;

/** A day by the local clock of a zone. */
export type LocalDay = Readonly<{
  /** True if the clock does not change between the day before and the day after. */
  isSteady: boolean;
  /** Returns the instant of a local time on this day, in milliseconds since 1970. */
  instantOf(wallTime: WallTime): number;
}>;

const day = 24 * 60 * 60 * 1000;

function numbers(format: Intl.DateTimeFormat, instant: Date): Readonly<Record<string, number>> {
  return Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
}

/** Returns local time minus UTC at an instant, in milliseconds. */
function formattedOffset(format: Intl.DateTimeFormat, instant: number): number {
  const {
    year = 0,
    month = 1,
    day: date = 1,
    hour = 0,
    minute = 0,
    second = 0,
  } = numbers(format, new Date(instant));
  const milliseconds = ((instant % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, date, hour, minute, second, milliseconds) - instant;
}

/** The maximum number of days whose results are cached. One search for openings needs fewer days. */
const maxDays = 4000;

/** Caches results, because formatting a date takes longer than the rest of a decision. */
function keptByDay(compute: (day: number) => number): (day: number) => number {
  const kept = new Map<number, number>();
  return (of) => {
    const found = kept.get(of) ?? compute(of);
    if (kept.size >= maxDays) kept.clear();
    kept.set(of, found);
    return found;
  };
}

/** The IANA names of three letters. ICU knows more: its BST, for example, is Asia/Dhaka. */
const abbreviations: ReadonlySet<string> = new Set(
  "CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "),
);

function isOnlyInIcu(name: string): boolean {
  return /^SystemV\//i.test(name) || (/^[A-Za-z]{3}$/.test(name) && !abbreviations.has(name.toUpperCase()));
}

/** A cache of zones by their names. Creating a format takes 0.1 ms, and a fleet's windows share few zones. */
const zones = new Map<string, Zone>();

/**
 * Returns the rules of an IANA time zone such as `Europe/Berlin`; undefined for other names, such as `BST`, and for
 * offsets such as `+02:00`, which ignore daylight saving.
 */
export function zoneOf(name: string): Zone | undefined {
  if (!/^[A-Za-z]/.test(name) || isOnlyInIcu(name)) return undefined;
  const known = zones.get(name);
  if (known) return known;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "iso8601",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  } catch {
    return undefined;
  }

  const offsetAtMidnight = keptByDay((of) => formattedOffset(format, of * day));
  const offsetAt = (instant: number): number => {
    const today = Math.floor(instant / day);
    const offset = offsetAtMidnight(today);
    // No zone changes its clock twice within three days.
    return offset === offsetAtMidnight(today + 1) ? offset : formattedOffset(format, instant);
  };
  /** Returns the instant of the clock change on a day, the day before or the day after. There must be one. */
  const changeAround = keptByDay((of) => {
    let [low, high] = [(of - 1) * day, (of + 2) * day];
    const offset = offsetAtMidnight(of - 1);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  });
  const localDay = (of: number): LocalDay => {
    const [before, after] = [offsetAtMidnight(of - 1), offsetAtMidnight(of + 2)];
    if (before === after) return { isSteady: true, instantOf: (wallTime) => wallTime - before };
    const change = changeAround(of);
    return {
      isSteady: false,
      instantOf(wallTime) {
        const unchanged = wallTime - before;
        return unchanged < change ? unchanged : Math.max(change, wallTime - after);
      },
    };
  };

  const zone: Zone = {
    name,
    wallTimeAt: (instant) => instant.getTime() + offsetAt(instant.getTime()),
    instantOf: (wallTime) => new Date(localDay(Math.floor(wallTime / day)).instantOf(wallTime)),
    localDay,
  };
  zones.set(name, zone);
  return zone;
}

/** Returns the date of a local time, e.g. `2026-12-24`. */
export function dateOf(wallTime: WallTime): string {
  return new Date(wallTime).toISOString().slice(0, 10);
}

/** Formats an instant as local time: `Sun 2026-03-29 03:00`. */
export function wallClock(zone: Zone, instant: Date): string {
  return dayAndTime(new Date(zone.wallTimeAt(instant)));
}
