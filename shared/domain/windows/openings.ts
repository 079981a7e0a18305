import type { MaintenanceWindow } from "./maintenance-window.ts";
import type { Exclusion } from "./window-spec.ts";
import { dateOf, type WallTime } from "./zone.ts";

/** One opening of a window: from `start` up to, not including, `end`. */
export type Opening = Readonly<{ start: Date; end: Date }>;

const day = 24 * 60 * 60 * 1000;

/** The maximum distance between two openings: a rarer schedule counts as never opening. */
const horizon = 50 * 365 * day;

/** The most wall times computed at a time. */
const maxBatch = 16;

function exclusionOn(exclusions: readonly Exclusion[], wallTime: WallTime): Exclusion | undefined {
  const date = dateOf(wallTime);
  return exclusions.find(({ from, to }) => from <= date && date <= to);
}

/**
 * Yields the openings that start after a moment, soonest first. An opening is excluded by the local date of its
 * start; one that starts before a freeze runs to its end. In a gap of the clock a window opens at the first moment
 * after the gap, and in a repeated hour at its first occurrence.
 */
function* openingsAfter(window: MaintenanceWindow, moment: Date): Generator<Opening> {
  const { schedule, zone, duration, exclusions } = window;
  let last = moment.getTime();
  let wallTime = zone.wallTimeAt(moment);
  let limit = wallTime + horizon;
  // Most callers need the first or second opening, and finding one takes as long as the whole decision about it.
  for (let batch = 2; wallTime < limit; batch = Math.min(2 * batch, maxBatch)) {
    const due = schedule.after(wallTime, batch);
    if (due.length === 0) return;
    for (const at of due) {
      wallTime = at;
      const start = zone.instantOf(at);
      // In a gap several wall times map to one instant, and in a repeated hour to one before the last.
      if (start.getTime() <= last) continue;
      const exclusion = exclusionOn(exclusions, zone.wallTimeAt(start));
      if (exclusion) {
        // Skip to the end of the freeze: a schedule may have thousands of openings in it.
        wallTime = Math.max(at, Date.parse(`${exclusion.to}T23:59:59.999Z`));
        break;
      }
      last = start.getTime();
      limit = at + horizon;
      yield { start, end: new Date(last + duration) };
    }
  }
}

/** How far before `now` to search for the last start, each time further back. */
const lookBacks = [1 / 24, 1, 32, 366].map((days) => days * day);

/** Yields the openings that are open at `now` or start later, in order of their starts. */
function openingsFrom(window: MaintenanceWindow, now: Date): Generator<Opening> {
  // An opening that started exactly its duration ago has just ended.
  return openingsAfter(window, new Date(now.getTime() - window.duration));
}

/** Returns the next `count` openings, including those open at `now`, in order of their starts. */
export function nextOpenings(window: MaintenanceWindow, now: Date, count: number): readonly Opening[] {
  return openingsFrom(window, now).take(count).toArray();
}

/** Returns the openings that are open at `now` or start before `end`, at most the first `count`. */
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

/**
 * Returns the opening at `now`, the one that ends last when several overlap; undefined while the window is closed.
 */
export function openingAt(window: MaintenanceWindow, now: Date): Opening | undefined {
  for (const lookBack of lookBacks) {
    let running: Opening | undefined;
    for (const opening of openingsAfter(
      window,
      new Date(now.getTime() - Math.min(lookBack, window.duration)),
    )) {
      if (opening.start > now) break;
      running = opening;
    }
    if (running || lookBack >= window.duration) return running;
  }
  return undefined;
}

/** Returns the next start of an opening after `now`. */
export function nextStart(window: MaintenanceWindow, now: Date): Date | undefined {
  return openingsAfter(window, now).next().value?.start;
}
