import { hash } from "node:crypto";
import { choice, list, object, parsed, text, time, type ValueOf } from "../../issues/field.ts";
import { sentence } from "../../text/redact.ts";
import { readyStatuses } from "../judge.ts";
import type { ImageRoute } from "../locations.ts";
import { unresponsiveRegistries } from "../unresponsive.ts";

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

/** What is known about an image, and since when. One that has not been checked yet has no fields. */
export const imageRecord = parsed(fields, ({ status, at, basis, ...others }) =>
  status !== undefined && at !== undefined && !Number.isNaN(Date.parse(at)) && basis !== undefined
    ? { status, at, basis, ...others }
    : undefined,
);

export type ImageRecord = Readonly<NonNullable<ValueOf<typeof imageRecord>>>;

/** Records by the names of images. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** Names what an image is judged by: where nodes look for it, and their architectures. */
export function basisOf({ locations }: ImageRoute, architectures: readonly string[]): string {
  const content = JSON.stringify([locations, architectures.toSorted()]);
  return hash("sha256", content).slice(0, 10);
}

/** Returns the newer of two records. */
export function newer(a: ImageRecord | undefined, b: ImageRecord | undefined): ImageRecord | undefined {
  if (!a || !b) return a ?? b;
  return Date.parse(b.at) > Date.parse(a.at) ? b : a;
}

/** Returns a sentence for each registry that nodes ask before others and that did not respond, with one location. */
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
