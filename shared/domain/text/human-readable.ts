import { sentence } from "./redact.ts";

const sizeUnits = [
  { unit: "GiB", bytes: 1024 ** 3 },
  { unit: "MiB", bytes: 1024 ** 2 },
  { unit: "KiB", bytes: 1024 },
] as const;

/** Formats bytes in the largest full unit: `12.3 GiB`, `840.0 MiB`, `12 B`. */
export function byteSize(bytes: number): string {
  const fitting = sizeUnits.find((one) => bytes >= one.bytes);
  return fitting ? `${(bytes / fitting.bytes).toFixed(1)} ${fitting.unit}` : `${bytes} B`;
}

/** Formats a number with its noun: `1 error`, `2 errors`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Formats a time in UTC with its day of the week: `Sat 2026-11-28 06:10`. */
export function dayAndTime(time: Date): string {
  return `${time.toUTCString().slice(0, 3)} ${time.toISOString().slice(0, 16).replace("T", " ")}`;
}

/** Formats milliseconds as `3h20m`, `2h`, `12m5s` or `40s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const hours = Math.floor(seconds / 3600);
  const parts = [`${hours}h`, `${Math.floor(seconds / 60) % 60}m`, `${hours > 0 ? 0 : seconds % 60}s`];
  return parts.filter((part) => !part.startsWith("0")).join("") || "0s";
}

const ageUnits = [
  { unit: "d", seconds: 86_400 },
  { unit: "h", seconds: 3_600 },
  { unit: "m", seconds: 60 },
] as const;

/** Returns how long ago `since` was, as kubectl shows ages: `3d`, `5h`, `12m`, `40s`. */
export function age(since: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000));
  const fitting = ageUnits.find((unit) => seconds >= unit.seconds);
  return fitting ? `${Math.floor(seconds / fitting.seconds)}${fitting.unit}` : `${seconds}s`;
}

const clock = (time: Date) => sentence`${time.toISOString().slice(11, 16)} UTC`;

const timeLeft = (time: Date, now: Date) => 1000 * Math.round((time.getTime() - now.getTime()) / 1000);

function distance(time: Date, now: Date): string {
  const left = timeLeft(time, now);
  return left > 0 ? sentence`in ${durationText(left)}` : sentence`${durationText(-left)} ago`;
}

/** Returns the duration until a time, and the time itself: `3m5s (09:46 UTC)`, `passed 40s ago (09:46 UTC)`. */
export function timeUntil(time: Date, now: Date): string {
  const left = timeLeft(time, now);
  const length = left > 0 ? durationText(left) : sentence`passed ${durationText(-left)} ago`;
  return `${length} (${clock(time)})`;
}

/** Replaces each RFC 3339 time in a text with the time of day and its distance from now: `09:46 UTC (in 3m5s)`. */
export function withRelativeTimes(text: string, now: Date): string {
  return text.replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g, (found) => {
    const time = new Date(found);
    return Number.isNaN(time.getTime()) ? found : `${clock(time)} (${distance(time, now)})`;
  });
}

/** Quotes a word of a command for a shell. */
export function shellWord(text: string): string {
  return /^[\w./+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
