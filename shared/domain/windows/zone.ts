/**
 * Local time as the milliseconds that the same digits would have in UTC. Wall times of one zone can be compared and
 * added like instants, but some of them never happen and some happen twice.
 */
export type WallTime = number;

/** The rules of a time zone. */
export type Zone = Readonly<{
  name: string;
  /** Returns the local time at an instant. */
  wallTimeAt(instant: Date): WallTime;
  /** Returns the instant of a local time: the first of two; the end of the gap when it never happens. */
  instantOf(wallTime: WallTime): Date;
}>;

const day = 24 * 60 * 60 * 1000;

function numbers(format: Intl.DateTimeFormat, instant: Date): Readonly<Record<string, number>> {
  return Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
}

/** Returns the difference between local time and UTC at an instant, in milliseconds. */
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

/** The most days of which the offset is kept: two years, more than a forecast looks ahead. */
const maxDays = 750;

/** Returns the difference between local time and UTC. Formatting a date takes longer than the rest of a decision. */
function offsetsOf(format: Intl.DateTimeFormat): (instant: number) => number {
  const atMidnight = new Map<number, number>();
  const offsetAtMidnight = (of: number): number => {
    const known = atMidnight.get(of);
    if (known !== undefined) return known;
    if (atMidnight.size >= maxDays) atMidnight.clear();
    const offset = formattedOffset(format, of * day);
    atMidnight.set(of, offset);
    return offset;
  };
  return (instant) => {
    const today = Math.floor(instant / day);
    const offset = offsetAtMidnight(today);
    // No zone changes its clock twice within two days.
    return offset === offsetAtMidnight(today + 1) ? offset : formattedOffset(format, instant);
  };
}

/**
 * The abbreviations that are names in the IANA database. ICU knows more, and maps them to zones on other continents:
 * its BST is Asia/Dhaka.
 */
const abbreviations: ReadonlySet<string> = new Set(
  "CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "),
);

/** True for a name that ICU may know and the IANA database does not have. */
function isOnlyInIcu(name: string): boolean {
  return /^SystemV\//i.test(name) || (/^[A-Za-z]{3}$/.test(name) && !abbreviations.has(name.toUpperCase()));
}

/** A format takes a tenth of a millisecond to create, and a fleet's windows share a few zones. */
const zones = new Map<string, Zone>();

/**
 * Returns the rules of an IANA time zone, e.g. `Europe/Berlin`; undefined for an unknown name. An offset such as
 * `+02:00` is not accepted: it would ignore daylight saving. Nor is an abbreviation such as `BST`.
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

  const offsetAt = offsetsOf(format);
  const wallTimeAt = (instant: Date): WallTime => instant.getTime() + offsetAt(instant.getTime());

  /** Finds the first instant after `before`, at most at `after`, at which the clock has jumped ahead. */
  const endOfGap = (before: number, after: number): Date => {
    const offset = offsetAt(before);
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return new Date(high);
  };

  const zone: Zone = {
    name,
    wallTimeAt,
    instantOf(wallTime) {
      // No zone changes its clock twice within two days.
      const earlier = wallTime - offsetAt(wallTime - day);
      const later = wallTime - offsetAt(wallTime + day);
      const shown = [earlier, later].filter((instant) => instant + offsetAt(instant) === wallTime);
      if (shown.length > 0) return new Date(Math.min(...shown));
      return endOfGap(Math.min(earlier, later), Math.max(earlier, later));
    },
  };
  zones.set(name, zone);
  return zone;
}

/** Returns the date of a local time, e.g. `2026-12-24`. */
export function dateOf(wallTime: WallTime): string {
  return new Date(wallTime).toISOString().slice(0, 10);
}
