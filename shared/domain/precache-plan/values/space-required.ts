import { ownValue } from "../../kubernetes/json/values.ts";
import { bytesPerGib } from "../../precache-model/precache-plan.ts";
import { printable, sentence } from "../../text/redact.ts";
/** A size in whole GiB, rounded up, without a unit; or why it is invalid, in Go's words for TALM's errors. */
export type SpaceRequired = Readonly<{ ok: true; gib: string }> | Readonly<{ ok: false; message: string }>;

/** The range of int64; on amd64 anything more becomes a negative number. */
const maxInteger = 2 ** 63;
/** Digits may have an underscore between them. */
const decimalNumber =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
/** Other values that Go reads as numbers. */
const specialNumber = /^[+-]?(?:inf|infinity|nan)$/i;

const notPositive = "invalid value for spaceRequired, must be a number greater than 0";

/** The letters of a unit as powers of 1000 or 1024. */
const powers: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4, p: 5 };

function refused(message: string): SpaceRequired {
  return { ok: false, message };
}

function parseFloat64(text: string): number | string {
  const quoted = JSON.stringify(text);
  if (specialNumber.test(text)) return Number(/nan/i.test(text) ? Number.NaN : Number.POSITIVE_INFINITY);
  if (!decimalNumber.test(text)) return sentence`strconv.ParseFloat: parsing ${quoted}: invalid syntax`;
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : sentence`strconv.ParseFloat: parsing ${quoted}: value out of range`;
}

/** A unit is a letter, optionally with `b`, `i` or `ib`; only `b`; or empty. Undefined for any other. */
function factorOf(unit: string, base: 1000 | 1024): number | undefined {
  if (unit === "" || unit === "b") return 1;
  const power = ownValue(powers, unit.charAt(0));
  const rest = unit.slice(1);
  const isUnit = ["", "b", "i", "ib"].includes(rest);
  return power !== undefined && isUnit ? base ** power : undefined;
}

/**
 * Reads `spaceRequired` as TALM does: a decimal number, at most one space, a unit (`GiB` is binary, `GB`, `G` decimal, no
 * unit means bytes); and also the Kubernetes units `Ki`, `Mi`, `Gi`, `Ti`, `Pi`, which the design document uses. Spaces at
 * the ends are ignored.
 */
export function parseSpaceRequired(given: string): SpaceRequired {
  // An error quotes a part of it, in which a credential would not be recognised.
  const text = printable(given.trim());
  // A lower-case i anywhere makes the units binary: 30GIB is decimal.
  const base = text.includes("i") ? 1024 : 1000;
  const end = Math.max(...[..."0123456789. "].map((character) => text.lastIndexOf(character)));
  if (end < 0) return refused(sentence`invalid size: '${text}'`);
  const value = parseFloat64(text[end] === " " ? text.slice(0, end) : text.slice(0, end + 1));
  if (typeof value === "string") return refused(value);
  if (value < 0) return refused(sentence`invalid size: '${text}'`);

  const unit = text.slice(end + 1);
  const lower = unit.toLowerCase();
  const factor = Buffer.byteLength(unit) > 3 ? undefined : factorOf(lower, base);
  if (factor === undefined)
    return refused(sentence`invalid suffix: '${Buffer.byteLength(unit) > 3 ? unit : lower}'`);
  const bytes = Math.trunc(value * factor);
  if (!(bytes < maxInteger)) return refused(notPositive);
  return { ok: true, gib: String(Math.ceil(bytes / bytesPerGib)) };
}
