import { crc32, deflateRawSync } from "node:zlib";
import { byCodeUnit } from "#shared/domain/order.ts";

/** One file of an archive; `path` has forward slashes and no leading one. */
export type ZipEntry = Readonly<{ path: string; bytes: Uint8Array }>;

/** The earliest date that the format knows: archives of equal files are equal, whenever they are made. */
const date1980January1 = (1 << 5) | 1;
const versionNeeded = 20;
const madeOnUnix = 3 << 8;
const deflated = 8;
const utf8Names = 1 << 11;
/** A regular file that everybody may read, as Lambda asks: its sandbox runs the code as another user. */
const readableByAll = 0o100644 << 16;

/**
 * A zip archive whose bytes depend on the entries alone: sorted by path, no clock, no owner. Files only, each
 * below 4 GiB, which is sixteen times what Lambda takes.
 * Source: PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
 */
export function zip(entries: readonly ZipEntry[]): Uint8Array {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes } of entries.toSorted((a, b) => byCodeUnit(a.path, b.path))) {
    const name = Buffer.from(path, "utf8");
    const compressed = deflateRawSync(bytes, { level: 9 });
    const common = commonHeader(name, bytes, compressed);
    const body = Buffer.concat([u32(0x04034b50), common, u16(0), name, compressed]);
    directory.push(
      Buffer.concat([
        u32(0x02014b50),
        u16(madeOnUnix | versionNeeded),
        common,
        u16(0), // no extra field
        u16(0), // no comment
        u16(0), // first disk
        u16(0), // not known to be text
        u32(readableByAll),
        u32(offset),
        name,
      ]),
    );
    bodies.push(body);
    offset += body.length;
  }
  const index = Buffer.concat(directory);
  const count = u16(directory.length);
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(index.length), u32(offset), u16(0)];
  return Buffer.concat([...bodies, index, ...end]);
}

/** The fields that the header before a file and its line in the directory share, in the same order. */
function commonHeader(name: Buffer, bytes: Uint8Array, compressed: Buffer): Buffer {
  return Buffer.concat([
    u16(versionNeeded),
    u16(utf8Names),
    u16(deflated),
    u16(0), // midnight
    u16(date1980January1),
    u32(crc32(bytes)),
    u32(compressed.length),
    u32(bytes.length),
    u16(name.length),
  ]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
