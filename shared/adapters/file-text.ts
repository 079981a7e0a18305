import { isUtf8 } from "node:buffer";
import { type Stats, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { sizeProblem } from "./file-errors.ts";

/** A file that is no text in an encoding that hubrelay reads, or not read for another reason; the message says why. */
export class FileTextError extends Error {
  override readonly name = "FileTextError";
}

const startsWith = (bytes: Uint8Array, ...mark: readonly number[]): boolean =>
  mark.every((byte, index) => bytes[index] === byte);

/** Returns the first line, from 1, that is not UTF-8. No character of UTF-8 has the byte of a line end. */
function invalidLine(bytes: Buffer): number {
  let line = 1;
  let start = 0;
  for (
    let end = bytes.indexOf(10);
    end >= 0 && isUtf8(bytes.subarray(start, end));
    end = bytes.indexOf(10, start)
  ) {
    start = end + 1;
    line++;
  }
  return line;
}

/**
 * Decodes the bytes of a file: UTF-16 by its byte order mark, as PowerShell redirects output, else UTF-8. Throws
 * `FileTextError` for bytes that are not UTF-8, which would be replaced silently otherwise.
 */
export function decodeText(bytes: Buffer): string {
  if (startsWith(bytes, 0xff, 0xfe)) return new TextDecoder("utf-16le").decode(bytes);
  if (startsWith(bytes, 0xfe, 0xff)) return new TextDecoder("utf-16be").decode(bytes);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new FileTextError(`line ${invalidLine(bytes)} is not UTF-8; save the file as UTF-8`);
}

/** What a shell gives for `<(command)` and for its input: it has a writer. */
const inherited = /^\/dev\/(?:stdin|fd\/\d+)$/;

/** A pipe that nobody writes to would be waited for without an end. */
function refuse(path: string, stats: Stats): void {
  if (!stats.isFile() && !stats.isDirectory() && !inherited.test(path))
    throw new FileTextError("not a regular file, but a pipe, a socket or a device");
  const problem = sizeProblem(stats.size);
  if (problem !== undefined) throw new FileTextError(problem);
}

/** Reads a file of at most the allowed size as text, and throws at once for a pipe that the process has not inherited. */
export async function readRegularFile(path: string): Promise<string> {
  refuse(path, await stat(path));
  return readFile(path, "utf8");
}

/** Throws for what `readRegularFile` does not read. */
export function requireRegularFile(path: string): void {
  refuse(path, statSync(path));
}
