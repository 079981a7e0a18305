import { hash } from "node:crypto";
import { choice, list, object, parsed, text, time, type ValueOf } from "../../issues/field.ts";
import { sentence } from "../../text/redact.ts";
import { isReady, readyStatuses, unresponsiveRegistries } from "../judge.ts";
import type { ImageRoute } from "../locations.ts";

const dayMs = 24 * 60 * 60_000;
/** The last check is due this many milliseconds before an opening. Half a day leaves time to mirror missing images. */
const beforeOpeningMs = 12 * 60 * 60_000;
/** Less than the interval of the resync tick, so that each tick checks images that are not ready again. */
const againAfterMs = 4 * 60_000;

/**
 * Returns the time of the last due check. Checks are due half a day before the `opening`, and every 24 hours before
 * that. Without an opening, the last check was due 24 hours before `now`.
 */
export function wantedSince(now: Date, opening: Date | undefined): Date {
  if (!opening) return new Date(now.getTime() - dayMs);
  const last = opening.getTime() - beforeOpeningMs;
  const days = Math.max(0, Math.ceil((last - now.getTime()) / dayMs));
  return new Date(last - days * dayMs);
}

/**
 * Reports whether to check an image now: it has no record for this `basis`, its last check found it ready but was
 * before `since`, or found it not ready and was some minutes ago.
 */
export function isDue(
  record: ImageRecord | undefined,
  basis: string,
  { now, since }: Readonly<{ now: Date; since: Date }>,
): boolean {
  if (record?.basis !== basis) return true;
  const at = Date.parse(record.at);
  return isReady(record.status, false) ? at < since.getTime() : isTimeToAskAgain(record.at, now);
}

/** Reports whether a check that found something missing or unreadable is old enough to be repeated. */
export function isTimeToAskAgain(at: string, now: Date): boolean {
  return !(Date.parse(at) > now.getTime() - againAfterMs);
}

const fields = object({
  status: choice(readyStatuses, { description: "As in the output of `hubrelay ready`." }),
  at: time({ description: "When registries were last queried." }),
  basis: text({ description: "Identifies the locations and architectures that it was judged by." }),
  from: text({ description: "The reference from which nodes pull it." }),
  digest: text({ description: "The digest of the manifest there." }),
  unresponsive: list(text(), {
    description: "References that nodes try before another one, and whose registries did not respond.",
  }),
});

/** The definition of an image's record. An image that has not been checked yet has a record without fields. */
export const imageRecord = parsed(fields, ({ status, at, basis, ...others }) =>
  status !== undefined && at !== undefined && !Number.isNaN(Date.parse(at)) && basis !== undefined
    ? { status, at, basis, ...others }
    : undefined,
);

export type ImageRecord = Readonly<NonNullable<ValueOf<typeof imageRecord>>>;

/** The records of images, by the images' names. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** Returns a fingerprint of what an image is judged by: its locations and the architectures. */
export function basisOf({ locations }: ImageRoute, architectures: readonly string[]): string {
  const content = JSON.stringify([locations, architectures.toSorted()]);
  return hash("sha256", content).slice(0, 10);
}

/** Returns the newer of two records. */
export function newer(a: ImageRecord | undefined, b: ImageRecord | undefined): ImageRecord | undefined {
  if (!a || !b) return a ?? b;
  return Date.parse(b.at) > Date.parse(a.at) ? b : a;
}

/** Returns a sentence for each registry that did not respond and that nodes ask before another registry. */
export function recordedWarnings(images: readonly string[], records: ImageRecords): readonly string[] {
  const silent = images.flatMap((image) =>
    (records.get(image)?.unresponsive ?? []).map((location) => ({
      location,
      detail: sentence`such as ${location}`,
    })),
  );
  return unresponsiveRegistries(silent, images.length).map(
    ({ object, message, remedy }) => sentence`Registry ${object.name}: ${message}. Fix: ${remedy}`,
  );
}
