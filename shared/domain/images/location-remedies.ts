import { sentence } from "../text/redact.ts";

/** No usable location is longer, and some of the expressions are slow on long ones. */
const maxLength = 512;

/** An IPv6 address in or without brackets, and what follows it: port and path. */
const ipv6Address =
  /^(?:[a-z]+:\/\/)?(?:\[[\da-f:.]+(?:%[\w.-]+)?\]?|[\da-f]*(?::[\da-f.]*){2,8})((?::\d+)?(?:\/.*)?)$/i;

function likelyError(value: string): string | undefined {
  if (value === "") return "Set it";
  if (value.length > maxLength) return undefined;
  if (value.trim() !== value) return "Remove the white space around it";
  if (/@(?!sha\d+(?::|$))/i.test(value)) return "Remove the user";
  const [, rest] = ipv6Address.exec(value) ?? [];
  if (rest !== undefined)
    return sentence`The API accepts no IPv6 address: write a DNS name whose AAAA record has it, such as registry.example.com${rest}`;
  if (/^[a-z]+:\/\//i.test(value)) return "Remove the scheme";
  if (/[<>${}]/.test(value)) return "Fill in the placeholder";
  if (value.includes("@")) return "Remove the digest";
  if (/\/[^/]*:[^/]*$/.test(value)) return "Remove the tag";
  if (value.endsWith("/")) return "Remove the slash at the end";
  if (value.includes("//")) return "Remove the empty path component";
  if (value.includes("*")) return "Use a wildcard only as *.domain, alone, and only as a source";
  if (/^[^/]*\/.*[A-Z]/s.test(value)) return "Write the path in lower case";
  return undefined;
}

const formats = {
  source: "a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest",
  mirror: "a mirror is host[:port][/path] in lower case, without scheme, wildcard, tag or digest",
  scope: "a scope is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest",
};

/** Returns one sentence on how to write a location of this kind, starting with the most likely error. */
export function formatRemedy(kind: keyof typeof formats, value: string): string {
  const error = likelyError(value);
  const format = formats[kind];
  return error ? `${error}; ${format}.` : `${format.charAt(0).toUpperCase()}${format.slice(1)}.`;
}
