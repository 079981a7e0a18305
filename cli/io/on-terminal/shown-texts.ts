import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";

/** The texts that this process has read last, by file. */
const texts = new Map<string, string>();

/** Remembers what was read, since issues on a terminal show lines of it, whichever command prints them. */
export function showable<Text extends ManifestText>(read: Text): Text {
  texts.set(read.file, read.text);
  return read;
}

/** Returns the text of a file that was read; undefined for another. */
export const shownText = (file: string): string | undefined => texts.get(file);
