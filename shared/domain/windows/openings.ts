import { durationText } from "../text/human-readable.ts";
import type { MaintenanceWindow } from "./maintenance-window.ts";
import { dateOf } from "./zone.ts";

const day = 24 * 60 * 60 * 1000;
const year = 366;

/** Returns the shortest time (ms, by the local clock) between the starts of two openings in the year from `now`. */
export function shortestGap({ schedule, zone }: MaintenanceWindow, now: Date): number {
  const { times, opensOn } = schedule;
  const today = Math.floor(zone.wallTimeAt(now) / day);
  let apart = Number.POSITIVE_INFINITY;
  let previous = Number.NEGATIVE_INFINITY;
  for (let of = today; of < today + year && apart > 1; of++) {
    if (!opensOn(of)) continue;
    apart = Math.min(apart, of - previous);
    previous = of;
  }
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return Math.min(
    apart * day - (last - first),
    ...times.slice(1).map((time, index) => time - (times[index] ?? 0)),
  );
}

const lengthOf = ({ start, end }: Opening) => end.getTime() - start.getTime();

/** Returns the first opening from `now` that never ends, or that is longer than `duration` because openings overlap. */
export function overlongOpening(window: MaintenanceWindow, now: Date): Opening | undefined {
  const gap = shortestGap(window, now);
  if (gap > window.duration) return undefined;
  const end = new Date(now.getTime() + year * day);
  return openingsBefore(window, now, end, Number.POSITIVE_INFINITY).find(
    (opening) => isEndless(opening) || (gap < window.duration && lengthOf(opening) > window.duration),
  );
}

/** A period in which a window is open without a break. `end` is not part of the period. */
export type Opening = Readonly<{ start: Date; end: Date }>;

/** `start` and `end` are instants or times of a day, in milliseconds. */
type Stretch = Readonly<{ start: number; end: number }>;

/** In days. A window that does not open within this time counts as never opening. */
const horizon = 50 * 365;

/** The maximum number of days to search for the start or the end of an opening: twice the longest duration. */
const maxDays = 2 * 366;

/** The end of an opening that never ends: one that is still open after `maxDays`. */
const never = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Reports whether an opening never ends. */
export function isEndless({ end }: Opening): boolean {
  return end.getTime() === never;
}

/** Formats the length of an opening: `2h30m`, or `without end`. */
export function openingLength(opening: Opening): string {
  const { start, end } = opening;
  return isEndless(opening) ? "without end" : durationText(end.getTime() - start.getTime());
}

/** Returns the open periods of a day without a clock change, as times of that day. */
function stretchesOf({ schedule, duration }: MaintenanceWindow): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const time of schedule.times) {
    const last = stretches.at(-1);
    if (last && time <= last.end) stretches[stretches.length - 1] = { ...last, end: time + duration };
    else stretches.push({ start: time, end: time + duration });
  }
  return stretches;
}

/** If the clock skips a start, the window opens at the end of the gap; if a start occurs twice, at the first one. */
function openingsByDay(window: MaintenanceWindow): (day: number) => readonly Stretch[] {
  const { schedule, zone, duration, exclusions } = window;
  const joined = stretchesOf(window);
  const single = schedule.times.map((start) => ({ start, end: start + duration }));
  const isFrozen = (start: number) => {
    const date = dateOf(zone.wallTimeAt(new Date(start)));
    return exclusions.some(({ from, to }) => from <= date && date <= to);
  };
  return (of) => {
    if (!schedule.opensOn(of)) return [];
    const { isSteady, instantOf } = zone.localDay(of);
    return (isSteady ? joined : single).flatMap(({ start: time, end }) => {
      const start = instantOf(of * day + time);
      return exclusions.length > 0 && isFrozen(start) ? [] : [{ start, end: start + end - time }];
    });
  };
}

function* openingsFrom(window: MaintenanceWindow, now: Date): Generator<Opening> {
  const { zone, duration, exclusions } = window;
  const startingOn = openingsByDay(window);
  const dayAt = (instant: number) => Math.floor(zone.wallTimeAt(new Date(instant)) / day);
  const midnight = (of: number) => zone.localDay(of).instantOf(of * day);
  const today = dayAt(now.getTime());

  /** Returns the earliest start in the unbroken run of openings that ends with this opening. */
  const beginningOf = (opening: Stretch): number => {
    let { start } = opening;
    for (let of = dayAt(start); of > today - maxDays && midnight(of + 1) + duration >= start; of--)
      for (const earlier of startingOn(of).toReversed())
        if (earlier.end >= start) start = Math.min(start, earlier.start);
    return start;
  };
  const shown = (opening: Stretch, end: number): readonly Opening[] => {
    if (opening.end <= now.getTime()) return [];
    const start = opening.start <= now.getTime() ? beginningOf(opening) : opening.start;
    return [{ start: new Date(start), end: new Date(end) }];
  };

  let current: Stretch | undefined;
  let limit = today + horizon;
  for (let of = dayAt(now.getTime() - duration) - 1; of < limit; of++) {
    const date = exclusions.length > 0 ? dateOf(of * day) : "";
    const freeze = exclusions.find(({ from, to }) => from <= date && date < to);
    if (freeze) {
      // There may be thousands of openings to skip. The last day is not skipped: a gap in the clock may move an opening
      // to the next date.
      of = Date.parse(freeze.to) / day - 1;
      continue;
    }
    for (const next of startingOn(of)) {
      if (current && next.start <= current.end)
        current = { start: current.start, end: Math.max(current.end, next.end) };
      else {
        if (current) yield* shown(current, current.end);
        current = next;
      }
      limit = of + horizon;
    }
    if (!current) continue;
    if (midnight(of + 1) > current.end) {
      yield* shown(current, current.end);
      current = undefined;
    } else if (of > Math.max(today, dayAt(current.start)) + maxDays) {
      yield* shown(current, never);
      return;
    }
  }
  if (current) yield* shown(current, current.end);
}

/** Returns the next `count` openings, the soonest first; the first may be open at `now`. */
export function nextOpenings(window: MaintenanceWindow, now: Date, count: number): readonly Opening[] {
  return openingsFrom(window, now).take(count).toArray();
}

/** Returns the openings that are open at `now` or start before `end`; at most the first `count`. */
export function openingsBefore(
  window: MaintenanceWindow,
  now: Date,
  end: Date,
  count: number,
): readonly Opening[] {
  const found: Opening[] = [];
  for (const opening of openingsFrom(window, now)) {
    if (opening.start >= end || found.length === count) break;
    found.push(opening);
  }
  return found;
}

/** Returns the opening that is open at `now`; undefined if the window is closed. */
export function openingAt(window: MaintenanceWindow, now: Date): Opening | undefined {
  const [opening] = nextOpenings(window, now, 1);
  return opening && opening.start <= now ? opening : undefined;
}

/** Returns the time at which the next opening after `now` starts; undefined if none does. */
export function nextStart(window: MaintenanceWindow, now: Date): Date | undefined {
  return nextOpenings(window, now, 2).find(({ start }) => start > now)?.start;
}
