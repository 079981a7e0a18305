import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli.ts";

/** Returns a file of the data that are linked into Node, in ICU's common data format. */
function icuFile(node: Buffer, name: string): Buffer {
  const isHeader = (at: number) => node.readUInt16BE(at + 2) === 0xda27;
  let format = node.indexOf("CmnD");
  while (format >= 0 && !isHeader(format - 12)) format = node.indexOf("CmnD", format + 1);
  expect(format, "Node has no data of ICU in it").toBeGreaterThan(0);
  const contents = format - 12 + node.readUInt16LE(format - 12);
  for (let entry = contents + 4; ; entry += 8) {
    const found = contents + node.readUInt32LE(entry);
    if (node.toString("latin1", found, node.indexOf(0, found)).endsWith(`/${name}`))
      return Buffer.from(
        node.subarray(contents + node.readUInt32LE(entry + 4), contents + node.readUInt32LE(entry + 12)),
      );
  }
}

/** Replaces bytes that occur once. */
function replace(file: Buffer, old: Buffer, by: Buffer): void {
  const at = file.indexOf(old);
  expect([at > 0, file.indexOf(old, at + 1), by.length]).toEqual([true, -1, old.length]);
  by.copy(file, at);
}

test("When ICU_TIMEZONE_FILES_DIR has other time zone data, windows should open by them, and version name them", async () => {
  const file = icuFile(await readFile(process.execPath), "zoneinfo64.res");
  const version = process.versions.tz ?? "";
  const other = `${version.slice(0, 4)}z`;
  replace(file, Buffer.from(version, "utf16le"), Buffer.from(other, "utf16le"));
  // The offsets of Tokyo: its own time of the 19th century, then nine hours; here ten.
  const offsets = (hours: number) => Buffer.from(Int32Array.of(33_539, 0, hours * 3600, 0).buffer);
  replace(file, offsets(9), offsets(10));
  const folder = await temporaryFolder();
  await writeFile(join(folder, "zoneinfo64.res"), file);

  const spec = { schedule: "0 2 * * *", timeZone: "Asia/Tokyo", duration: "1h", clusterSelector: {} };
  const metadata = { namespace: "fleet", name: "night" };
  const apiVersion = "hubrelay.dev/v1alpha1";
  const stdin = JSON.stringify({ apiVersion, kind: "MaintenanceWindow", metadata, spec });
  const shown = async (args: readonly string[]) => {
    const variables = { ICU_TIMEZONE_FILES_DIR: folder };
    return JSON.parse((await hubrelay([...args, "-o", "json"], { stdin, variables })).stdout);
  };
  const windows = ["windows", "-f", "-", "--next", "1", "--now", "2026-12-01T00:00:00Z"];
  const [opened, named] = await Promise.all([shown(windows), shown(["version"])]);
  // An hour before Node's own data have it.
  expect(opened[0].openings[0].start).toBe("2026-12-01T16:00:00Z");
  expect(named.timeZones).toBe(other);
});
