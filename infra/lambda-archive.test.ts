import { unzipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";
import { lambdaArchive } from "./lambda-archive.ts";

const bundle = Buffer.from("export const handler = () => 1;\n".repeat(1000));

test("When a bundle is archived, the archive should contain only the bundle", () => {
  const files = unzipSync(lambdaArchive(bundle));
  expect(Object.keys(files)).toEqual(["handler.mjs"]);
  expect(Buffer.from(files["handler.mjs"] ?? [])).toEqual(bundle);
});

test("When it is archived in another time zone, the bytes should be the same", () => {
  const { TZ } = process.env;
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  const archives = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"].map((zone) => {
    process.env.TZ = zone;
    return Buffer.from(lambdaArchive(bundle)).toString("base64");
  });
  expect(new Set(archives).size).toBe(1);
});

test("When it is archived, the file should be readable by all and have the oldest date of the format", () => {
  const archive = Buffer.from(lambdaArchive(bundle));
  const entry = archive.subarray(archive.lastIndexOf("PK\x01\x02", undefined, "latin1"));
  expect({ system: entry[5], mode: (entry.readUInt32LE(38) >>> 16).toString(8) }).toEqual({
    system: 3,
    mode: "100644",
  });
  // Midnight of 1 January 1980.
  expect([...entry.subarray(12, 16)]).toEqual([0, 0, 0x21, 0]);
});
