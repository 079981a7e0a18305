import { isUtf8 } from "node:buffer";
import { type Stats, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { ownValue } from "../domain/kubernetes/json/values.ts";
import { messageOf } from "../domain/text/error-text.ts";

/** Maximum size of a file in bytes. Its text and objects take several times as much memory. */
export const maxFileSize = 256 * 1024 * 1024;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EMFILE: "too many open files; raise the limit (ulimit -n)",
  ENFILE: "too many open files on this machine",
  EBUSY: "another process has used the file for too long",
  EISDIR: "is a directory",
  EEXIST: "a file has this name",
  ENOTDIR: "a part of the path is a file, not a folder",
  ELOOP: "too many levels of symbolic links",
};

/** Returns the code of a file system error, such as ENOENT; empty for an error without a code. */
export function fileErrorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Returns the reason why a file could not be read or written. */
export function fileProblem(error: unknown): string {
  return ownValue(reasons, fileErrorCode(error)) ?? messageOf(error);
}

/** Returns the reason why a file of this size is rejected; undefined when it is accepted. */
export function sizeProblem(bytes: number): string | undefined {
  if (bytes <= maxFileSize) return undefined;
  return `it has ${Math.ceil(bytes / 1024 / 1024)} MiB, more than the limit of ${maxFileSize / 1024 / 1024} MiB`;
}

/** The error for a rejected file; the message has the reason. */
export class FileTextError extends Error {
  override readonly name = "FileTextError";
}

const startsWith = (bytes: Uint8Array, ...mark: readonly number[]): boolean =>
  mark.every((byte, index) => bytes[index] === byte);

/** Each line can be checked alone, since no multi-byte character contains a line feed. */
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

/** Decodes UTF-16 with a byte order mark (from PowerShell), or else UTF-8. Throws `FileTextError` for other bytes. */
export function decodeText(bytes: Buffer): string {
  if (startsWith(bytes, 0xff, 0xfe)) return new TextDecoder("utf-16le").decode(bytes);
  if (startsWith(bytes, 0xfe, 0xff)) return new TextDecoder("utf-16be").decode(bytes);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new FileTextError(`line ${invalidLine(bytes)} is not UTF-8; save the file as UTF-8`);
}

/** The paths of pipes that this process has inherited, from `<(command)` or standard input. */
const inherited = /^\/dev\/(?:stdin|fd\/\d+)$/;

/** Throws `FileTextError` for files that must not be read: a pipe without a writer, for example, would never end. */
function refuse(path: string, stats: Stats): void {
  if (!stats.isFile() && !stats.isDirectory() && !inherited.test(path))
    throw new FileTextError("not a regular file, but a pipe, a socket or a device");
  const problem = sizeProblem(stats.size);
  if (problem !== undefined) throw new FileTextError(problem);
}

/** Returns a file's text. Throws for a large file, a socket, a device, or a pipe that was not inherited. */
export async function readRegularFile(path: string): Promise<string> {
  refuse(path, await stat(path));
  return readFile(path, "utf8");
}

/** Throws for files that `readRegularFile` rejects. */
export function requireRegularFile(path: string): void {
  refuse(path, statSync(path));
}
