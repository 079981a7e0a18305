import { InvalidArgumentError } from "commander";
import { type Bandwidths, noBandwidths, withBandwidth } from "#shared/domain/precache/progress/bandwidth.ts";

/** For an option that may be given several times: all its values in order. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** For an option that takes a whole number within these bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && text.trim() !== "" && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It should be a whole number from ${least} to ${most}.`);
  };
}

/** For an option that takes Mbit/s, of everybody or of a site; all that are given together. */
export function bandwidth(text: string, previous: Bandwidths = noBandwidths): Bandwidths {
  const known = withBandwidth(previous, text);
  if (known) return known;
  throw new InvalidArgumentError("It should be Mbit/s like 100, or SITE=20.");
}

/** A moment as RFC 3339 has it, with a zone: a local time would mean something else on another machine. */
export function moment(text: string): Date {
  const [, clock = ""] =
    /^(\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  const date = new Date(text);
  // A day or an hour that there is not would silently be another one.
  const shown = new Date(`${clock.slice(0, 10)}T${clock.slice(11)}Z`);
  const isShown =
    !Number.isNaN(shown.getTime()) &&
    shown.toISOString().startsWith(`${clock.slice(0, 10)}T${clock.slice(11)}`);
  if (!isShown || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError("It is no time of RFC 3339, e.g. 2026-03-29T01:00:00Z.");
  return date;
}
