import { ownValue } from "../domain/kubernetes/json/values.ts";
import { messageOf } from "../domain/text/error-text.ts";

/** Larger files are refused: as text and as objects they take several times their size. */
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
  ECANTOPEN: "a file cannot be opened: no permission, or too many open files",
  EISDIR: "is a directory",
  ENOTDIR: "a part of the path is a file, not a folder",
  ELOOP: "too many levels of symbolic links",
};

/** Result codes for the same of SQLite, in which the embedded queues are, without the bits that say more. */
const codesOfSqlite: Readonly<Record<number, string>> = {
  5: "EBUSY",
  8: "EROFS",
  13: "ENOSPC",
  14: "ECANTOPEN",
};

/** Returns the system's code of an error of the file system, or of SQLite; empty for other errors. */
export function fileErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("errcode" in error && typeof error.errcode === "number")
    return codesOfSqlite[error.errcode & 0xff] ?? "";
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Returns in words why a file could not be read or written. */
export function fileProblem(error: unknown): string {
  return ownValue(reasons, fileErrorCode(error)) ?? messageOf(error);
}

/** Returns why a file of this size is not read; undefined when it is. */
export function sizeProblem(bytes: number): string | undefined {
  if (bytes <= maxFileSize) return undefined;
  return `it has ${Math.ceil(bytes / 1024 / 1024)} MiB, more than the limit of ${maxFileSize / 1024 / 1024} MiB`;
}
