import { type DocumentOptions, Scalar, type ScalarTag, type SchemaOptions } from "yaml";

const prefix = "tag:yaml.org,2002:";
const radixOf = { x: 16, o: 8, b: 2 } as const;

/** Parses an integer as Go's `strconv.ParseInt(text, 0, 64)` does: `0x1F`, `0b11`, `0o17`, `017`, `1_000`. */
function readInteger(text: string): number {
  const plain = text.replaceAll("_", "");
  const sign = plain.startsWith("-") ? -1 : 1;
  const digits = plain.replace(/^[-+]/, "");
  const letter = digits[1]?.toLowerCase();
  if (letter === "x" || letter === "o" || letter === "b")
    return sign * Number.parseInt(digits.slice(2), radixOf[letter]);
  const isOctal = /^0[0-7]+$/.test(digits);
  return sign * Number.parseInt(digits, isOctal ? 8 : 10) || 0;
}

const nullTag: ScalarTag = {
  tag: `${prefix}null`,
  default: true,
  test: /^(?:~|null|Null|NULL)?$/,
  identify: (value) => value === null || value === undefined,
  createNode: () => new Scalar(null),
  resolve: () => new Scalar(null),
  stringify: () => "null",
};

const boolTag: ScalarTag = {
  tag: `${prefix}bool`,
  default: true,
  test: /^(?:[yYnN]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  identify: (value) => typeof value === "boolean",
  resolve: (text) => /^(?:y|yes|true|on)$/i.test(text),
  stringify: ({ value }) => String(value),
};

const intTag: ScalarTag = {
  tag: `${prefix}int`,
  default: true,
  // Underscores are ignored everywhere but at the very beginning. For Go, a decimal with a leading zero and an 8 or
  // 9 is not octal; it falls through to the float below.
  test: /^(?:[-+]_*)?(?:[1-9][0-9_]*|0[0-7_]*|0_*[xX]_*[0-9a-fA-F][0-9a-fA-F_]*|0_*[oO]_*[0-7][0-7_]*|0_*[bB]_*[01][01_]*)$/,
  identify: (value) => Number.isInteger(value),
  resolve: (text) => readInteger(text),
  stringify: ({ value }) => String(value),
};

const floatTag: ScalarTag = {
  tag: `${prefix}float`,
  default: true,
  test: /^(?:(?:[-+]_*)?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE]_*(?:[-+]_*)?[0-9][0-9_]*)?|[-+]_*\._*[0-9][0-9_]*(?:[eE]_*(?:[-+]_*)?[0-9][0-9_]*)?|\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  identify: (value) => typeof value === "number",
  resolve(text) {
    if (/nan$/i.test(text)) return Number.NaN;
    if (/inf$/i.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const value = Number(text.replaceAll("_", ""));
    return Number.isFinite(value) ? value : text; // Go leaves what overflows a float as a string
  },
  stringify: ({ value }) => String(value),
};

const binaryTag: ScalarTag = {
  tag: `${prefix}binary`,
  default: false,
  resolve: (text) =>
    new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0))),
};

/** Only for quoting on output: `<<` as a key would be read as a merge. Reading handles merges separately. */
const mergeTag: ScalarTag = {
  tag: `${prefix}merge`,
  default: "key",
  test: /^<<$/,
  resolve: (text) => text,
};

/**
 * The YAML library's schema with the plain scalars of kubectl (sigs.k8s.io/yaml 1.6, compared value by value):
 * booleans of YAML 1.1 (`y`, `no`, `On`, …), octals with a leading zero, underscores in numbers; no dates and no
 * base-60 numbers. Keys follow the same rules: `on:` is the key `true`.
 */
export const kubectlSchema: DocumentOptions & SchemaOptions = {
  version: "1.2",
  schema: "failsafe",
  resolveKnownTags: false,
  customTags: [nullTag, boolTag, intTag, floatTag, binaryTag, mergeTag],
};
