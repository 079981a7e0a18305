import { sentence } from "../../text/redact.ts";

/*
 * How Ignition and machine-config-operator read a data: URL.
 * Source: github.com/vincent-petithory/dataurl v1.0.0, lex.go and rfc2396.go; net/url refuses control characters before.
 */

const token = "[!#$%&'*+\\-.0-9A-Z^_`a-z{|}~]";
const value = `${token}+|"(?:[^"\\\\]|\\\\[abfnrtv"\\\\])*"`;
const mediaType = `(?:(?:text|image|audio|video|application|message|multipart)${token}*|[xX]-${token}*)/${token}*`;
/** What stands before the data; `;base64` is the last parameter. */
const header = new RegExp(`^data:(?:${mediaType})?((?:;${token}+=(?:${value}))*)(;base64)?,`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const control = /[\u0000-\u001f\u007f]/;
/** The first character that must be percent-encoded, with what is not ASCII. */
const unescaped = /[^!$-;=?-Z_a-z~]/u;
const strayPercent = /%(?![0-9a-fA-F]{2})/;

/** Reports whether a text is base64 as Go's `StdEncoding` reads it: with padding, and with line breaks anywhere. */
export function isBase64(text: string): boolean {
  const joined = text.replaceAll(/[\r\n]/g, "");
  return joined.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(joined);
}

function decodePercent(text: string): Buffer {
  const decoded = text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, "latin1");
}

/** Decodes a data: URL to bytes, since compressed content is not UTF-8; or returns what is wrong with it. */
export function decodeDataUrl(url: string): Readonly<{ bytes: Buffer } | { problem: string }> {
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
