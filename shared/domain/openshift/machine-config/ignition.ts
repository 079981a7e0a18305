import { gunzipSync } from "node:zlib";
import { sentence } from "../../text/redact.ts";
import { type OperatorForm, ownForm } from "../releases/machine-config-operator.ts";
import type { NodeFile } from "./node-file.ts";

// Source: github.com/vincent-petithory/dataurl v1.0.0, lex.go and rfc2396.go. Go's net/url refuses control characters.

const token = "[!#$%&'*+\\-.0-9A-Z^_`a-z{|}~]";
const value = `${token}+|"(?:[^"\\\\]|\\\\[abfnrtv"\\\\])*"`;
const mediaType = `(?:(?:text|image|audio|video|application|message|multipart)${token}*|[xX]-${token}*)/${token}*`;
const header = new RegExp(`^data:(?:${mediaType})?((?:;${token}+=(?:${value}))*)(;base64)?,`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const control = /[\u0000-\u001f\u007f]/;
const unescaped = /[^!$-;=?-Z_a-z~]/u;
const strayPercent = /%(?![0-9a-fA-F]{2})/;

/** Reports whether a text is base64 as Go's `StdEncoding` reads it: padded, with line breaks anywhere. */
export function isBase64(text: string): boolean {
  const joined = text.replaceAll(/[\r\n]/g, "");
  return joined.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(joined);
}

function decodePercent(text: string): Uint8Array {
  const decoded = text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, "latin1");
}

/** Returns the bytes in a data: URL, or the problem if the URL is invalid. */
export function decodeDataUrl(url: string): Readonly<{ bytes: Uint8Array } | { problem: string }> {
  if (control.test(url)) return { problem: "it has a line break or another control character" };
  const [start, parameters = "", base64] = header.exec(url) ?? [];
  if (start === undefined) return { problem: "what stands before its comma is not a media type" };
  const data = url.slice(start.length);
  if (base64 !== undefined)
    return isBase64(data) ? { bytes: Buffer.from(data, "base64") } : { problem: "its data is not base64" };
  const [wrong] = unescaped.exec(data) ?? [];
  if (wrong !== undefined)
    return {
      problem: sentence`its data has the character ${JSON.stringify(wrong)}, which must be percent-encoded`,
    };
  if (strayPercent.test(data) || strayPercent.test(parameters))
    return { problem: "it has a % without two hexadecimal digits" };
  return { bytes: decodePercent(data) };
}

const dataUrlPrefix = "data:text/plain;charset=utf-8;base64,";

type IgnitionFile = Readonly<{
  overwrite: boolean;
  path: string;
  contents: Readonly<{ compression: string; source: string }>;
  mode: number;
}>;

/** An Ignition configuration that writes files. Its keys have the same order as in MCO's JSON. */
export type Ignition = Readonly<{
  ignition: Readonly<{ version: string }>;
  storage?: Readonly<{ files: readonly IgnitionFile[] }>;
}>;

function renderFile({ path, mode, contents }: NodeFile): IgnitionFile {
  const source = dataUrlPrefix + Buffer.from(contents).toString("base64");
  return { overwrite: true, path, contents: { compression: "", source }, mode };
}

/** Returns the Ignition configuration that writes these files. */
export function renderIgnition(
  files: readonly NodeFile[],
  version: OperatorForm["ignition"] = ownForm.ignition,
): Ignition {
  return {
    ignition: { version },
    ...(files.length > 0 ? { storage: { files: files.map(renderFile) } } : {}),
  };
}

/** The maximum size of one MachineConfig's decoded files, in bytes. Parsing takes a hundred times as much memory. */
export const maxContents = 4 * 1024 * 1024;

const tooLarge = {
  problem: `with the files before it, its content has more than ${maxContents / 1024 / 1024} MiB`,
};

function inflate(bytes: Uint8Array, limit: number): Uint8Array | Readonly<{ problem: string }> {
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
 * Returns a file's text and its size in bytes, or the problem if it cannot be decoded or exceeds `limit` bytes.
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
  return content.length > limit ? tooLarge : { text: Buffer.from(content).toString(), bytes: content.length };
}
