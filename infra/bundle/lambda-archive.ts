import { zipSync } from "fflate";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";

const unix = 3;
/** A regular file, readable by all: Lambda's sandbox runs the code as another user. */
const readableByAll = 0o100644 << 16;

/**
 * Returns the zip archive for Lambda, with the files of a bundle. Equal bundles give equal bytes: the files are sorted by
 * name, and their date is the oldest of the format, in local time.
 */
export function lambdaArchive(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const options = { level: 9, mtime: new Date(1980, 0, 1), os: unix, attrs: readableByAll } as const;
  const sorted = Object.entries(files).sort(([a], [b]) => byCodeUnit(a, b));
  return zipSync(Object.fromEntries(sorted), options);
}
