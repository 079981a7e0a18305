import type { MaintenanceWindow } from "./maintenance-window.ts";
import { isEndless, type Opening, openingsBefore } from "./openings.ts";

const day = 24 * 60 * 60 * 1000;
const year = 366;

/** Returns the shortest time between two starts by the clock, in the year from `now`. */
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

/** Returns the openings of the year from `now`, unless each lasts for the window's duration. */
function joinedOpenings(window: MaintenanceWindow, now: Date, gap: number): readonly Opening[] {
  if (gap > window.duration) return [];
  return openingsBefore(window, now, new Date(now.getTime() + year * day), Number.POSITIVE_INFINITY);
}

const lengthOf = ({ start, end }: Opening) => end.getTime() - start.getTime();

/** Returns the first opening from `now` on that is longer than the window's duration, as several overlap, or endless. */
export function overlongOpening(window: MaintenanceWindow, now: Date): Opening | undefined {
  const gap = shortestGap(window, now);
  return joinedOpenings(window, now, gap).find(
    (opening) => isEndless(opening) || (gap < window.duration && lengthOf(opening) > window.duration),
  );
}

/** Returns the milliseconds of the longest opening of the year from `now`. */
export function longestOpening(window: MaintenanceWindow, now: Date): number {
  const openings = joinedOpenings(window, now, shortestGap(window, now));
  return Math.max(window.duration, ...openings.map(lengthOf));
}
