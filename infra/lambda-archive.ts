import { zipSync } from "fflate";

const unix = 3;
/** A regular file, readable by all: Lambda's sandbox runs the code as another user. */
const readableByAll = 0o100644 << 16;

/**
 * Returns the zip archive for Lambda, with only the bundle. Equal bundles give equal bytes: the date is the oldest of the
 * format, in local time.
 */
export function lambdaArchive(bundle: Uint8Array): Uint8Array {
  const options = { level: 9, mtime: new Date(1980, 0, 1), os: unix, attrs: readableByAll } as const;
  return zipSync({ "handler.mjs": [bundle, options] });
}
