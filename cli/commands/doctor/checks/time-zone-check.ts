import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Check, ok, problem } from "./check.ts";

/** The variable from which ICU, the library behind Node's time zones, takes the folder with newer data. */
const folderVariable = "ICU_TIMEZONE_FILES_DIR";

/** Reports the version of the time zone data, and whether it is Node's own; `version` is `process.versions.tz`. */
export function timeZoneCheck(
  environment: Readonly<Record<string, string | undefined>>,
  version: string | undefined,
): Check {
  const name = "time zones";
  const folder = environment[folderVariable];
  const file = folder && join(folder, "zoneinfo64.res");
  const source = file && existsSync(file) ? file : "Node.js";
  if (version) return ok(name, `Time zone data ${version}, from ${source}.`);
  return problem(
    name,
    `${source} has no time zone data that can be read: every time zone is unknown, and every window stays closed.`,
    `Replace the files in ${folder}, or unset ${folderVariable}.`,
  );
}
