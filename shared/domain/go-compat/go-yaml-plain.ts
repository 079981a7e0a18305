const words =
  /^(?:|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|\.nan|\.NaN|\.NAN|[-+]?\.(?:inf|Inf|INF))$/;
/** Booleans of YAML 1.1 that YAML 1.2 does not have. */
const oldBooleans = /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/;
/** Numbers to base 60, also only in YAML 1.1. */
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Other rules apply after a leading point: only single underscores between digits. */
const fraction = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/;
const prefixedInteger = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/;
/** A sign between prefix and digits: the original accepts it as a number by accident. */
const oddlySignedInteger = /^0(?:b[-+][01]+|o[-+][0-7]+)$/;

const largestUnsigned = 2n ** 64n - 1n;
const largestSigned = 2n ** 63n - 1n;

/** All other integers have the format of a float too. */
function isPrefixedInteger(text: string): boolean {
  if (oddlySignedInteger.test(text)) return true;
  const [, sign, digits = ""] = prefixedInteger.exec(text) ?? [];
  if (digits === "") return false;
  const magnitude = BigInt(digits.toLowerCase());
  if (sign === "") return magnitude <= largestUnsigned;
  return magnitude <= (sign === "-" ? largestSigned + 1n : largestSigned);
}

const date = /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(.*)$/s;
const time =
  /^(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2}))| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)$/;

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isTimestamp(text: string): boolean {
  const [, year, month, day, rest = ""] = date.exec(text) ?? [];
  const isDate =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= daysIn(Number(month), Number(year));
  if (!isDate || rest === "") return isDate;
  const match = time.exec(rest);
  if (!match) return false;
  const [, hour, minute, second, zoneHour = 0, zoneMinute = 0, plainHour, plainMinute, plainSecond] = match;
  return (
    Number(hour ?? plainHour) < 24 &&
    Number(minute ?? plainMinute) < 60 &&
    Number(second ?? plainSecond) < 60 &&
    Number(zoneHour) <= 24 &&
    Number(zoneMinute) <= 60
  );
}

/** Text that overflows a float is a string. */
function isFloat(text: string, format: RegExp): boolean {
  return format.test(text) && Number.isFinite(Number(text.replaceAll("_", "")));
}

/**
 * Reports whether Go's yaml.v3 reads this unquoted text as a string and no YAML 1.1 reader takes it for a boolean
 * or a number, so that its type needs no quotes.
 */
export function readsAsString(text: string): boolean {
  if (words.test(text) || oldBooleans.test(text) || base60.test(text)) return false;
  if (!/^[-+.0-9]/.test(text)) return true;
  if (text.startsWith(".")) return !isFloat(text, fraction);
  if (isTimestamp(text)) return false;
  const plain = text.replaceAll("_", "");
  return !isPrefixedInteger(plain) && !isFloat(plain, float);
}
