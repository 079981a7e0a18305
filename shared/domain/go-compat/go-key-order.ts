const isLetter = (character: string): boolean => /^\p{L}$/u.test(character);
const isDigit = (character: string): boolean => /^\p{Nd}$/u.test(character);

function digitsFrom(characters: readonly string[], start: number): readonly string[] {
  let end = start;
  while (isDigit(characters[end] ?? "")) end++;
  return characters.slice(start, end);
}

/** Digits of other scripts are also counted from `0`, and long numbers overflow, as in the original. */
function numberFrom(digits: readonly string[], lead: bigint): bigint {
  return digits.reduce(
    (sum, digit) => BigInt.asIntN(64, sum * 10n + BigInt((digit.codePointAt(0) ?? 0) - 0x30)),
    lead,
  );
}

/** Zeros after a number that is not all zeros are significant. */
function followsNumber(characters: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(characters[i] ?? ""); i--) if (characters[i] !== "0") return true;
  return false;
}

function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const lead = (a[at] === "0" || b[at] === "0") && followsNumber(a, at) ? 1n : 0n;
  const digitsOfA = digitsFrom(a, at);
  const digitsOfB = digitsFrom(b, at);
  const difference = numberFrom(digitsOfA, lead) - numberFrom(digitsOfB, lead);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  return digitsOfA.length - digitsOfB.length;
}

/**
 * Compares keys in the order in which Go's yaml.v3 writes those of a map: letters after everything else (but before
 * it right after a digit), numbers inside a key by their value.
 */
export function byGoKeyOrder(left: string, right: string): number {
  const a = Array.from(left);
  const b = Array.from(right);
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a[at] === b[at]) at++;
  if (at === shorter) return a.length - b.length;

  const [ofA = "", ofB = ""] = [a[at], b[at]];
  const byCodePoint = (ofA.codePointAt(0) ?? 0) - (ofB.codePointAt(0) ?? 0);
  const letterOfA = isLetter(ofA);
  const letterOfB = isLetter(ofB);
  if (letterOfA && letterOfB) return byCodePoint;
  if (letterOfA || letterOfB) {
    const afterDigit = at > 0 && isDigit(a[at - 1] ?? "");
    return letterOfA === afterDigit ? -1 : 1;
  }
  return compareNumbers(a, b, at) || byCodePoint;
}
