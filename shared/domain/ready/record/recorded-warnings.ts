import { sentence } from "../../credentials/redact.ts";
import { unresponsiveRegistries } from "../unresponsive.ts";
import type { ImageRecords } from "./image-record.ts";

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
