import { InvalidArgumentError } from "commander";
import { imageProblem } from "#shared/domain/images/image-name.ts";
import { isHost } from "#shared/domain/images/image-reference.ts";
import { parseGoTime } from "#shared/domain/kubernetes/json/go-time.ts";
import { quantityOf } from "#shared/domain/kubernetes/quantity.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";
import type { DueTime } from "#shared/domain/precache-progress/forecast/due-time.ts";
import type { GivenSizes } from "#shared/domain/precache-progress/forecast/given-sizes.ts";
import { type Bandwidths, noBandwidths, withBandwidth } from "#shared/domain/precache-start/bandwidths.ts";
import { readDuration } from "#shared/domain/windows/duration.ts";
import { type Zone, zoneOf } from "#shared/domain/windows/zone.ts";
import { UsageError } from "./exit-codes.ts";

/** Adds a value of a repeatable option to the previous values. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** Returns a parser for whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && text.trim() !== "" && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Adds a bandwidth in Mbit/s to the previous bandwidths: for all clusters (`100`), or for one site (`SITE=20`). */
export function bandwidth(text: string, previous: Bandwidths = noBandwidths): Bandwidths {
  const known = withBandwidth(previous, text);
  if (known) return known;
  throw new InvalidArgumentError("It must be Mbit/s such as 100, or SITE=20.");
}

/** Returns the text if it names an image, with its host. Otherwise throws. */
export function image(text: string): string {
  const problem = imageProblem(text);
  if (!problem) return text;
  throw new InvalidArgumentError(`${problem.message} ${problem.remedy}`);
}

/** Adds a registry, such as `quay.io` or `quay.io/team`, to the previous registries. */
export function registry(text: string, previous?: readonly string[]): readonly string[] {
  const [host = ""] = text.split("/", 1);
  if (isHost(host) && !/[@:]|\/$/.test(text.slice(host.length))) return collect(text, previous);
  throw new InvalidArgumentError("It must be HOST[:PORT][/PATH], without a scheme, tag or digest.");
}

/** Returns the text if it is a version of OpenShift, such as `4.18` or `4.21.0`. Otherwise throws. */
export function version(text: string): string {
  if (parseRelease(text)) return text;
  throw new InvalidArgumentError("It must be a version such as 4.21.0.");
}

/** Parses a duration such as `20m`. Returns milliseconds. Throws if the duration is shorter than a second. */
export function duration(text: string): number {
  const milliseconds = readDuration(text);
  if (milliseconds !== undefined && milliseconds >= 1_000) return milliseconds;
  throw new InvalidArgumentError("It must be a duration such as 20m or 1h30m.");
}

/** Parses an RFC 3339 time. The text must have a time zone, since a local time would depend on the machine. */
export function moment(text: string): Date {
  const date = parseGoTime(text.toUpperCase().replace(" ", "T"));
  if (date) return date;
  throw new InvalidArgumentError("It is not an RFC 3339 time such as 2026-03-29T01:00:00Z.");
}

const weekdays: readonly string[] = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** Parses a deadline: an RFC 3339 time, a date, a day of the week, or `window`. */
export function dueTime(text: string): DueTime {
  const lower = text.toLowerCase();
  if (lower === "window") return { windows: true };
  const weekday = weekdays.indexOf(lower);
  if (weekday >= 0) return { weekday };
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) && parseGoTime(`${text}T00:00:00Z`);
  if (midnight) return { day: midnight.getTime() / 86_400_000 };
  const at = parseGoTime(text.toUpperCase().replace(" ", "T"));
  if (at) return { at };
  throw new InvalidArgumentError(
    "It must be an RFC 3339 time such as 2026-03-29T01:00:00Z, a date such as 2026-03-29, a day such as saturday, or window.",
  );
}

/** Adds a size to the previous sizes: of the whole download (`18GiB`), or of an image or repository (`IMAGE=2GiB`). */
export function size(text: string, previous?: GivenSizes): GivenSizes {
  const [, image, quantity] = /^(?:(.+)=)?([\d.]+[MGT]i?)B?$/.exec(text.replace(" ", "")) ?? [];
  const bytes = quantityOf(quantity);
  if (bytes === undefined || bytes <= 0)
    throw new InvalidArgumentError("It must be a size with its unit, such as 18GiB, or IMAGE=2GiB.");
  if (previous && "inAll" in previous !== (image === undefined))
    throw new InvalidArgumentError("It must be one size in all, or sizes of images.");
  if (image === undefined) return { inAll: bytes };
  const others = previous && "byImage" in previous ? previous.byImage : [];
  return { byImage: new Map([...others, [image, bytes]]) };
}

/** Returns UTC and the time zone of this machine. */
export function ownZones(): Readonly<{ utc: Zone; local: Zone }> {
  const utc = zoneOf("UTC");
  if (!utc) throw new Error("This Node.js has no time zones");
  return { utc, local: zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? utc };
}

/** Returns the time zone with this IANA name. Throws if there is none. */
export function timeZone(text: string): Zone {
  const zone = zoneOf(text);
  if (zone) return zone;
  throw new InvalidArgumentError("It must be an IANA time zone such as Europe/Oslo.");
}

/** Returns the items with these names, or all items if `names` is empty. Throws `UsageError` for an unknown name. */
export function chosenByName<Item extends Readonly<{ name: string }>>(
  what: string,
  all: readonly Item[],
  names: readonly string[] = [],
): readonly Item[] {
  const unknown = names.find((name) => !all.some((known) => known.name === name));
  if (unknown !== undefined)
    throw new UsageError(
      `no such ${what}: ${unknown}; known ${what}s: ${all.map(({ name }) => name).join(", ")}.`,
    );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}
