import { gunzipSync } from "node:zlib";
import { sentence } from "../../text/redact.ts";
import { type OperatorForm, ownForm } from "../releases/machine-config-operator.ts";
import { decodeDataUrl } from "./data-url.ts";
import type { NodeFile } from "./node-file.ts";

const dataUrlPrefix = "data:text/plain;charset=utf-8;base64,";

type IgnitionFile = Readonly<{
  overwrite: boolean;
  path: string;
  contents: Readonly<{ compression: string; source: string }>;
  mode: number;
}>;

/** The fields of an Ignition configuration that hubrelay writes, with keys in the order of MCO's JSON. */
export type Ignition = Readonly<{
  ignition: Readonly<{ version: string }>;
  storage?: Readonly<{ files: readonly IgnitionFile[] }>;
}>;

function renderFile({ path, mode, contents }: NodeFile): IgnitionFile {
  const source = dataUrlPrefix + Buffer.from(contents).toString("base64");
  return { overwrite: true, path, contents: { compression: "", source }, mode };
}

/** Returns the Ignition configuration that writes these files; without files it has no `storage`. */
export function renderIgnition(
  files: readonly NodeFile[],
  version: OperatorForm["ignition"] = ownForm.ignition,
): Ignition {
  return {
    ignition: { version },
    ...(files.length > 0 ? { storage: { files: files.map(renderFile) } } : {}),
  };
}

/** The bytes that are read of the files of one MachineConfig together. A parser takes a hundred times as much memory. */
export const maxContents = 4 * 1024 * 1024;

const tooLarge = {
  problem: `with the files before it, its content has more than ${maxContents / 1024 / 1024} MiB`,
};

/** Inflates up to a limit: zlib returns parts, and what is above the limit is never inflated. */
function inflate(bytes: Buffer, limit: number): Buffer | Readonly<{ problem: string }> {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(1, limit) });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    return isTooLarge ? tooLarge : { problem: "its content is not valid gzip" };
  }
}

/** The fields of a file's `contents` in Ignition. */
export type IgnitionContents = Readonly<{ source?: string; compression?: string }>;

/**
 * Decodes the contents of a file: a `data:` URL, base64 or percent-encoded, perhaps with gzip; without a source the file is
 * empty. Returns the problem for anything else, such as a remote file, or more than `limit` bytes.
 * Source: pkg/controller/common/helpers.go:404 of MCO main.
 */
export function decodeContents(
  { source = "data:,", compression = "" }: IgnitionContents,
  limit = maxContents,
): Readonly<{ text: string; bytes: number } | { problem: string }> {
  if (!/^data:/i.test(source)) return { problem: "its source is not a data: URL" };
  const decoded = decodeDataUrl(source);
  if ("problem" in decoded) return decoded;
  if (compression !== "" && compression !== "gzip")
    return { problem: sentence`its compression is ${compression}, not gzip` };
  const content = compression === "" ? decoded.bytes : inflate(decoded.bytes, limit);
  if ("problem" in content) return content;
  return content.length > limit ? tooLarge : { text: content.toString(), bytes: content.length };
}
