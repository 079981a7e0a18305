import { isReady } from "../report.ts";
import type { ImageRecord } from "./image-record.ts";

const dayMs = 24 * 60 * 60_000;
/** Half a day before an opening people still have time to mirror what is missing. */
const beforeOpeningMs = 12 * 60 * 60_000;
/** Less than the interval of the resync tick: what is missing or unknown is checked again at each. */
const againAfterMs = 4 * 60_000;
/** Three resync ticks; messages that wait as long raise the alarm of a function that does not run. */
const lateAfterMs = 15 * 60_000;

/**
 * Returns the time since which an image that is ready must have been asked for: a day ago, and with an `opening` the last
 * of the times that are half a day and whole days before it. An image is so asked for once a day, always half a day
 * before an opening.
 */
export function wantedSince(now: Date, opening: Date | undefined): Date {
  if (!opening) return new Date(now.getTime() - dayMs);
  const last = opening.getTime() - beforeOpeningMs;
  const days = Math.max(0, Math.ceil((last - now.getTime()) / dayMs));
  return new Date(last - days * dayMs);
}

/** Reports whether registries are asked for an image now. */
export function isDue(
  record: ImageRecord | undefined,
  basis: string,
  { now, since }: Readonly<{ now: Date; since: Date }>,
): boolean {
  if (record?.basis !== basis) return true;
  const at = Date.parse(record.at);
  return isReady(record.status, false) ? at < since.getTime() : isTimeToAskAgain(record.at, now);
}

/** Reports whether something that was not found, or could not be read, is checked again. */
export function isTimeToAskAgain(at: string, now: Date): boolean {
  return !(Date.parse(at) > now.getTime() - againAfterMs);
}

/** Reports whether a check is so long ago that it should have been repeated, daily or at the next resync tick. */
export function isLate(at: Date, isDaily: boolean, now: Date): boolean {
  return now.getTime() - at.getTime() > (isDaily ? dayMs : againAfterMs) + lateAfterMs;
}
