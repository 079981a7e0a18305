import { sentence } from "../credentials/redact.ts";
import { duration } from "./human-readable.ts";

const clock = (time: Date) => sentence`${time.toISOString().slice(11, 16)} UTC`;

const secondsUntil = (time: Date, now: Date) => Math.round((time.getTime() - now.getTime()) / 1000);

/** Returns how far a time is from now: `in 42s`, `3m5s ago`. */
function distance(time: Date, now: Date): string {
  const seconds = secondsUntil(time, now);
  return seconds > 0 ? sentence`in ${duration(seconds)}` : sentence`${duration(-seconds)} ago`;
}

/** Returns how long it is until a time, and the time itself: `3m5s (09:46 UTC)`, `passed 40s ago (09:46 UTC)`. */
export function timeUntil(time: Date, now: Date): string {
  const seconds = secondsUntil(time, now);
  const length = seconds > 0 ? duration(seconds) : sentence`passed ${duration(-seconds)} ago`;
  return `${length} (${clock(time)})`;
}

/** Replaces each RFC 3339 time in a text with the time of day and its distance: `09:46 UTC (in 3m5s)`. */
export function withRelativeTimes(text: string, now: Date): string {
  return text.replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, (found) => {
    const time = new Date(found);
    return Number.isNaN(time.getTime()) ? found : `${clock(time)} (${distance(time, now)})`;
  });
}
