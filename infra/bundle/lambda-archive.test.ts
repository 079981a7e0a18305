import { unzipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";
import { lambdaArchive } from "./lambda-archive.ts";

const bundle = {
  "handler.mjs": Buffer.from("export const handler = () => 1;\n".repeat(1000)),
  "chunk-A.mjs": Buffer.from("export const part = 2;\n"),
};

test("When a bundle is archived, the archive should contain its files and no others, whatever their order", () => {
  const archive = lambdaArchive(bundle);
  const files = Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, Buffer.from(bytes)]);
  expect(files).toEqual([
    ["chunk-A.mjs", bundle["chunk-A.mjs"]],
    ["handler.mjs", bundle["handler.mjs"]],
  ]);
  const turned = Object.fromEntries(Object.entries(bundle).reverse());
  expect(Buffer.compare(lambdaArchive(turned), archive)).toBe(0);
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
