import { sentence } from "../text/redact.ts";

/*
 * The formats of `source` and `mirrors`, as the API's schema defines them:
 *
 *   label  = one or more of [A-Za-z0-9-], neither first nor last is "-"
 *   host   = label ("." label)*
 *   mirror = host [":" digit+] ("/" comp)*          comp = run (("." | "_" | "__" | "-"+) run)*, run = [a-z0-9]+
 *   source = mirror | "*" ("." label)+
 *
 * This is a finite automaton, because regular expressions need exponential time or overflow the stack on some values.
 */

const digit = "0123456789";
const lower = `abcdefghijklmnopqrstuvwxyz${digit}`;
const alphanumeric = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${lower}`;

const grammar = {
  nothing: { [alphanumeric]: "label", "*": "asterisk" },
  label: { [alphanumeric]: "label", "-": "label-", ".": "label.", ":": "host:", "/": "component/" },
  "label-": { [alphanumeric]: "label", "-": "label-" },
  "label.": { [alphanumeric]: "label" },
  "host:": { [digit]: "port" },
  port: { [digit]: "port", "/": "component/" },
  "component/": { [lower]: "run" },
  run: { [lower]: "run", ".": "separator", _: "run_", "-": "run-", "/": "component/" },
  run_: { [lower]: "run", _: "separator" },
  "run-": { [lower]: "run", "-": "run-" },
  separator: { [lower]: "run" },
  asterisk: { ".": "domain." },
  "domain.": { [alphanumeric]: "domain" },
  domain: { [alphanumeric]: "domain", "-": "domain-", ".": "domain." },
  "domain-": { [alphanumeric]: "domain", "-": "domain-" },
} satisfies Record<string, Readonly<Record<string, string>>>;

const names = ["refused", ...Object.keys(grammar)];
const refused = 0;
const nothing = 1;
const label = names.indexOf("label");
const port = names.indexOf("port");
const run = names.indexOf("run");
const domain = names.indexOf("domain");

const width = 128;
const next = new Uint8Array(names.length * width);
for (const [from, steps] of Object.entries(grammar)) {
  const row = names.indexOf(from) * width;
  for (const [characters, to] of Object.entries(steps)) {
    const state = names.indexOf(to);
    for (const character of characters) next[row + character.charCodeAt(0)] = state;
  }
}

function endState(value: string): number {
  let state = nothing;
  for (let at = 0; at < value.length && state !== refused; at++) {
    const unit = value.charCodeAt(at);
    state = (unit < width ? next[state * width + unit] : refused) ?? refused;
  }
  return state;
}

function isMirrorEnd(state: number): boolean {
  return state === label || state === port || state === run;
}

/** Reports whether the API accepts the value as a mirror: `host[:port][/path]` without tag, digest or wildcard. */
export function isMirror(value: string): boolean {
  return isMirrorEnd(endState(value));
}

/** Reports whether the value is the host of a registry, `host[:port]`. */
export function isHost(value: string): boolean {
  return isMirror(value) && !value.includes("/");
}

/** Reports whether the API accepts the value as a source: a mirror, or a wildcard `*.domain` without port and path. */
export function isSource(value: string): boolean {
  const state = endState(value);
  return isMirrorEnd(state) || state === domain;
}

/** Reports whether machine-config-operator accepts the value as a blocked, insecure or allowed scope. */
export function isRenderableScope(value: string): boolean {
  if (value === "") return false;
  if (!value.includes("*")) return true;
  return value.startsWith("*.") && !/[/@:*]/.test(value.slice(2));
}

/** Longer than any usable location. Without this maximum, the regular expressions could be slow. */
const maxLength = 512;

/** Matches a location whose host is an IPv6 address. The group captures the port and path after the address. */
const ipv6Address =
  /^(?:[a-z]+:\/\/)?(?:\[[\da-f:.]+(?:%[\w.-]+)?\]?|[\da-f]*(?::[\da-f.]*){2,8})((?::\d+)?(?:\/.*)?)$/i;

const formats = {
  source: "a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest",
  mirror: "a mirror is host[:port][/path] in lower case, without scheme, wildcard, tag or digest",
  scope: "a scope is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest",
  image: "an image is host[:port]/path in lower case, with :tag, or @sha256: and 64 hexadecimal digits",
};

type LocationKind = keyof typeof formats;

function likelyError(kind: LocationKind, value: string): string | undefined {
  if (value === "") return "Set it";
  if (value.length > maxLength) return undefined;
  if (value.trim() !== value) return "Remove the white space around it";
  if (/@(?!sha\d+(?::|$))/i.test(value)) return "Remove the user";
  const [, rest] = ipv6Address.exec(value) ?? [];
  if (rest !== undefined)
    return sentence`The API accepts no IPv6 address: write a DNS name whose AAAA record has it, such as registry.example.com${rest}`;
  if (/^[a-z]+:\/\//i.test(value)) return "Remove the scheme";
  if (/[<>${}]/.test(value)) return "Fill in the placeholder";
  if (kind !== "image" && value.includes("@")) return "Remove the digest";
  if (kind !== "image" && /\/[^/]*:[^/]*$/.test(value)) return "Remove the tag";
  if (value.endsWith("/")) return "Remove the slash at the end";
  if (value.includes("//")) return "Remove the empty path component";
  if (value.includes("*")) return "Use a wildcard only as *.domain, alone, and only as a source";
  if (/^[^/]*\/.*[A-Z]/s.test(value)) return "Write the path in lower case";
  return undefined;
}

/** Returns a sentence about how to write such a location. It begins with a correction if `value` has a known error. */
export function formatRemedy(kind: LocationKind, value: string): string {
  const error = likelyError(kind, value);
  const format = formats[kind];
  return error ? `${error}; ${format}.` : `${format.charAt(0).toUpperCase()}${format.slice(1)}.`;
}
