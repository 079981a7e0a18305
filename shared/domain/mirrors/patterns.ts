/*
 * The formats of `source` and `mirrors`, as the API's schema defines them:
 *
 *   label  = one or more of [A-Za-z0-9-], neither first nor last is "-"
 *   host   = label ("." label)*
 *   mirror = host [":" digit+] ("/" comp)*          comp = run (("." | "_" | "__" | "-"+) run)*, run = [a-z0-9]+
 *   source = mirror | "*" ("." label)+
 *
 * The published regular expression can split one run of letters in exponentially many ways, and even an
 * unambiguous one overflows the stack of a backtracking engine on a long value. So the grammar is scanned by
 * hand: every code unit is looked at once, nothing is allocated, no input makes it throw.
 */

const dot = 0x2e;
const slash = 0x2f;
const colon = 0x3a;
const asterisk = 0x2a;
const dash = 0x2d;
const underscore = 0x5f;

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isLowerOrDigit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || isDigit(unit);
}

function isLetterOrDigit(unit: number): boolean {
  return isLowerOrDigit(unit) || (unit >= 0x41 && unit <= 0x5a);
}

/** The end of `label ("." label)*` from `start`, or -1 when there is none. */
function endOfHost(value: string, start: number): number {
  let at = start;
  for (;;) {
    if (!isLetterOrDigit(value.charCodeAt(at))) return -1;
    let unit: number;
    do {
      at++;
      unit = value.charCodeAt(at);
    } while (isLetterOrDigit(unit) || unit === dash);
    if (value.charCodeAt(at - 1) === dash) return -1;
    if (unit !== dot) return at;
    at++;
  }
}

function endOfPort(value: string, start: number): number {
  if (value.charCodeAt(start) !== colon) return start;
  let at = start + 1;
  while (isDigit(value.charCodeAt(at))) at++;
  return at > start + 1 ? at : -1;
}

/** The index after one separator inside a path component, or `start` when there is none. */
function endOfSeparator(value: string, start: number): number {
  const unit = value.charCodeAt(start);
  if (unit === dot) return start + 1;
  if (unit === underscore) return value.charCodeAt(start + 1) === underscore ? start + 2 : start + 1;
  let at = start;
  while (value.charCodeAt(at) === dash) at++;
  return at;
}

function endOfComponent(value: string, start: number): number {
  let at = start;
  for (;;) {
    if (!isLowerOrDigit(value.charCodeAt(at))) return -1;
    do at++;
    while (isLowerOrDigit(value.charCodeAt(at)));
    const next = endOfSeparator(value, at);
    if (next === at) return at;
    at = next;
  }
}

/** True for what the API accepts as a mirror: `host[:port][/path]` without tag, digest or wildcard. */
export function isMirror(value: string): boolean {
  let at = endOfHost(value, 0);
  if (at >= 0) at = endOfPort(value, at);
  while (at >= 0 && at < value.length) {
    if (value.charCodeAt(at) !== slash) return false;
    at = endOfComponent(value, at + 1);
  }
  return at >= 0;
}

/** True for what the API accepts as a source: like a mirror, or a wildcard `*.domain` without port and path. */
export function isSource(value: string): boolean {
  if (value.charCodeAt(0) !== asterisk) return isMirror(value);
  return value.charCodeAt(1) === dot && endOfHost(value, 2) === value.length;
}

/**
 * True for what machine-config-operator takes as a blocked, insecure or allowed scope. Much weaker than
 * `isSource`: whatever has no `*` passes; a wildcard must be `*.` and have none of `/ @ : *` after it.
 */
export function isRenderableScope(value: string): boolean {
  if (value === "") return false;
  if (!value.includes("*")) return true;
  return value.startsWith("*.") && !/[/@:*]/.test(value.slice(2));
}
