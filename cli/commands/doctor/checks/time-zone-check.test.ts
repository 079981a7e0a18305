import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { timeZoneCheck } from "./time-zone-check.ts";

test("When time zone data are Node's own, a folder's or damaged, the check should say so", async () => {
  const [empty, full] = [await temporaryFolder(), await temporaryFolder()];
  const file = join(full, "zoneinfo64.res");
  await writeFile(file, "");
  const name = "time zones";
  expect(timeZoneCheck({}, "2026c")).toEqual({
    name,
    state: "ok",
    found: "Time zone data 2026c, from Node.js.",
  });
  expect(timeZoneCheck({ ICU_TIMEZONE_FILES_DIR: empty }, "2026c").found).toContain("from Node.js.");
  expect(timeZoneCheck({ ICU_TIMEZONE_FILES_DIR: full }, "2026f").found).toBe(
    `Time zone data 2026f, from ${file}.`,
  );
  expect(timeZoneCheck({ ICU_TIMEZONE_FILES_DIR: full }, "")).toMatchObject({
    state: "problem",
    remedy: `Replace the files in ${full}, or unset ICU_TIMEZONE_FILES_DIR.`,
  });
});
