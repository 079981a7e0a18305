import { InvalidArgumentError } from "commander";
import { type Bandwidths, noBandwidths, withBandwidth } from "#shared/domain/precache/sizes/bandwidth.ts";

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
  const isMoment = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.test(text);
  const date = new Date(text);
  if (!isMoment || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError("It is no time of RFC 3339, e.g. 2026-03-29T01:00:00Z.");
  return date;
}
