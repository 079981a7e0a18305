import type { Exclusion, MaintenanceWindow } from "./maintenance-window.ts";
import { dateOf, type WallTime } from "./zone.ts";

/** One time that a window is open: from `start` up to, not including, `end`. */
export type Opening = Readonly<{ start: Date; end: Date }>;

const day = 24 * 60 * 60 * 1000;

/** How far an opening may be from the one before: what comes more rarely never comes. */
const horizon = 50 * 365 * day;

/** How many wall times are asked for at once: most windows need a handful. */
const batch = 16;

function exclusionOn(exclusions: readonly Exclusion[], wallTime: WallTime): Exclusion | undefined {
  const date = dateOf(wallTime);
  return exclusions.find(({ from, to }) => from <= date && date <= to);
}

/**
 * The openings that start after a moment, soonest first. An opening is excluded by the local date of its start; one
 * that begins before a freeze runs to its end. In a gap of the clock a window opens at the first moment after it, and
 * of an hour that comes twice at the first.
 */
function* openingsAfter(window: MaintenanceWindow, moment: Date): Generator<Opening> {
  const { schedule, zone, duration, exclusions } = window;
  let last = moment.getTime();
  let wallTime = zone.wallTimeAt(moment);
  let limit = wallTime + horizon;
  while (wallTime < limit) {
    const due = schedule.after(wallTime, batch);
    if (due.length === 0) return;
    for (const at of due) {
      wallTime = at;
      const start = zone.instantOf(at);
      // Several wall times lead to one instant in a gap, and back behind the last one in an hour that comes twice.
      if (start.getTime() <= last) continue;
      const exclusion = exclusionOn(exclusions, zone.wallTimeAt(start));
      if (exclusion) {
        // Straight to the end of the freeze: a schedule may have thousands of openings in it.
        wallTime = Math.max(at, Date.parse(`${exclusion.to}T23:59:59.999Z`));
        break;
      }
      last = start.getTime();
      limit = at + horizon;
      yield { start, end: new Date(last + duration) };
    }
  }
}

/** So long before `now` the last start is looked for, each time further back. */
const lookBacks = [1 / 24, 1, 32, 366].map((days) => days * day);

/** The next `count` openings, those that are running at `now` among them, in order of their starts. */
export function nextOpenings(window: MaintenanceWindow, now: Date, count: number): readonly Opening[] {
  // An opening that started just its duration ago has just ended.
  return openingsAfter(window, new Date(now.getTime() - window.duration))
    .take(count)
    .toArray();
}

/**
 * The opening that is running at `now`, the one that ends last where several overlap; undefined while the window is
 * closed.
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

/** When the window is opened next, not counting an opening that is running. */
export function nextStart(window: MaintenanceWindow, now: Date): Date | undefined {
  return openingsAfter(window, now).next().value?.start;
}
