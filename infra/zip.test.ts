import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { type ZipEntry, zip } from "./zip.ts";

const entry = (path: string, text: string): ZipEntry => ({ path, bytes: Buffer.from(text) });

/** Reads an archive by its directory at the end, as every reader does. */
function unzipped(archive: Uint8Array): readonly Readonly<{ path: string; text: string }>[] {
  const bytes = Buffer.from(archive);
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const files = [];
  for (let at = bytes.readUInt32LE(end + 16), left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = bytes.readUInt16LE(at + 28);
    const size = bytes.readUInt32LE(at + 20);
    const header = bytes.readUInt32LE(at + 42);
    const path = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    files.push({ path, text: inflateRawSync(bytes.subarray(start, start + size)).toString("utf8") });
    at += 46 + nameLength;
  }
  return files;
}

test("When files are packed, a reader should find each with its content", () => {
  const files = [
    { path: "a.mjs", text: "export const a = 1;\n".repeat(1000) },
    { path: "empty", text: "" },
    { path: "lib/ü.mjs", text: "ü" },
  ];
  expect(unzipped(zip(files.map(({ path, text }) => entry(path, text))))).toEqual(files);
});

test("When the same files come in another order, the archive should be the same", () => {
  const files = [entry("b", "2"), entry("a", "1"), entry("c", "3")];
  expect(zip(files.toReversed())).toEqual(zip(files));
});

test("When a byte differs, the archive should differ", () => {
  expect(zip([entry("a", "1")])).not.toEqual(zip([entry("a", "2")]));
});

test("When it is made, the archive should hold a fixed date instead of today's", () => {
  // Time and date of the first file: midnight of 1 January 1980.
  expect(Buffer.from(zip([entry("a", "1")])).subarray(10, 14)).toEqual(Buffer.from([0, 0, 0x21, 0]));
});
