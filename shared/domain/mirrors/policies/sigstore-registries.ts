function numberAt(text: string, start: number, lead: bigint): Readonly<{ value: bigint; end: number }> {
  let value = lead;
  let end = start;
  for (; /[0-9]/.test(text.charAt(end)); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(text.charAt(end)));
  }
  return { value, end };
}

function followsNumber(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0 && /[0-9]/.test(text.charAt(i)); i--) if (text.charAt(i) !== "0") return true;
  return false;
}

/** Compares keys in the order of Go's yaml.v2: letters after everything else, digits by their number. */
export function byYamlKey(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charAt(at) === b.charAt(at)) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  const [left, right] = [a.charAt(at), b.charAt(at)];
  const isLetter = (character: string): boolean => /\p{L}/u.test(character);
  if (isLetter(left) !== isLetter(right)) return isLetter(left) ? 1 : -1;
  if (!isLetter(left)) {
    const lead = (left === "0" || right === "0") && followsNumber(a, at) ? 1n : 0n;
    const [ofA, ofB] = [numberAt(a, at, lead), numberAt(b, at, lead)];
    if (ofA.value !== ofB.value) return ofA.value < ofB.value ? -1 : 1;
    if (ofA.end !== ofB.end) return ofA.end - ofB.end;
  }
  return left < right ? -1 : 1;
}

/** YAML 1.1 has numbers to base 60, so the host `1:30` is one. */
const base60 = /^[0-9][0-9_]*:[0-5]?[0-9]$/;
const float = /^[0-9]+\.[0-9]*(?:[eE]-?[0-9]+)?$/;
/** A longer key stands on a line of its own, after `?`. */
const maxKeyLength = 128;

/** Reports whether YAML reads a scope as a number, which only a host can be. What overflows a float is a string. */
function isNumber(scope: string): boolean {
  const plain = scope.replaceAll("_", "");
  return base60.test(scope) || (float.test(plain) && Number.isFinite(Number(plain)));
}

function quoted(scope: string): string {
  if (scope.startsWith("*")) return `'${scope}'`;
  return isNumber(scope) ? `"${scope}"` : scope;
}

/**
 * Renders the file that makes the container runtime read sigstore signatures of images in these scopes from their
 * registries. Its bytes equal those of the library that machine-config-operator uses.
 */
export function encodeSigstoreRegistries(scopes: Iterable<string>): string {
  const entries = [...new Set(scopes)]
    .sort(byYamlKey)
    .map((scope) =>
      scope.length > maxKeyLength
        ? `  ? ${quoted(scope)}\n  : use-sigstore-attachments: true\n`
        : `  ${quoted(scope)}:\n    use-sigstore-attachments: true\n`,
    );
  return `docker:\n${entries.join("")}`;
}
