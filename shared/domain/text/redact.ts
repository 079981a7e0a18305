/** The placeholder for a part of a text that must not be shown. */
export const redacted = "[redacted]";

const key = "(?:api|access|private|client|account|shared|signing)[-_ ]?key";
const word = `(?:passw(?:or)?d|passphrase|secret|token|credential|${key})`;
/** Words that are a credential's name only if they stand alone: `auth`, but not `author`. `sig` is in signed URLs. */
const short = "(?:auth|pass|pwd|sig|(?:x-)?(?:amz|goog)-signature|(?:proxy-)?authorization|(?:set-)?cookie)";
/** Matches whole names of fields and headers whose value is a credential: `secret`, but not `secretName`. */
const secretNames = String.raw`(?:(?:[a-z\d]+_){0,20}(?:(?:x-(?:[a-z]+-){0,5})?[a-z\d]*?${word}s?|${short})|(?:private|api|client)-(?:token|key|secret)|client-key-data)`;
const secretName = RegExp(`^${secretNames}$`, "i");

/** Reports whether a field or header of this name holds a credential (`password`, `Authorization`, `apiKey`). */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Matches the position before a text with a capital letter: tokens have one, `pypi-mirror` has none. */
const capital = String.raw`(?=[a-z\d_+/=-]{0,256}[A-Z])`;

/** The first group of a match stays in the text, and `[redacted]` replaces the rest. */
const foreignForms: readonly RegExp[] = [
  /()-----BEGIN [A-Z ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g,
  // A JSON web token, and tokens of OpenShift, AWS, GitHub, GitLab, npm, PyPI, Docker, Vault and Slack.
  /()\beyJ[\w-]{8,}(?:\.[\w-]*)*/g,
  /()\bsha256~[\w-]{8,}/g,
  /()\b(?:AKIA|ASIA)[A-Z\d]{16}/g,
  RegExp(
    String.raw`()\b(?:gh[opsur]_|github_pat_|gl[a-z]{2,5}-|npm_|pypi-|dckr_[a-z]{3}_|hvs\.|xox[a-z]-)${capital}[\w-]{10,}`,
    "g",
  ),
  // The first form is a header (`name: value`) to the end of its line, the second a parameter (`name=value`).
  RegExp(
    String.raw`((?<![\w./-])(?:--)?${secretNames}["'\\]{0,8}[ \t]{0,5}[:>][ \t]*)(?!//)(?=[^\r\n]*[^\s"'\\])[^\r\n]+`,
    "gi",
  ),
  RegExp(
    String.raw`((?<![\w/-])${secretNames}["'\\]{0,8}[ \t]{0,5}=[ \t]{0,5})(?:"[^"]*"?|'[^']*'?|[^\s&,;]+)`,
    "gi",
  ),
  /\b((?:bearer|basic)[ \t]{1,5})(?=[^\s"']*[\d=])[^\s"']{8,}/gi,
];

/** Redacts the login before an @. An @ before a digest belongs to an image's name and not to a login. */
function withoutLogin(piece: string): string {
  const [, login = ""] = /^(.*)@(?!sha(?:256|384|512):)/s.exec(piece) ?? [];
  const url = login.indexOf("//");
  if (url < 0 && !login.includes(":")) return piece;
  return `${piece.slice(0, url < 0 ? 0 : url + 2)}${redacted}${piece.slice(login.length)}`;
}

/** Returns a text of another system, such as a registry or git, without credentials of known forms. */
export function redactForeign(text: string): string {
  return foreignForms.reduce(
    (rest, form) => rest.replace(form, `$1${redacted}`),
    text.replace(/[^\s"'`[\]]+/g, withoutLogin),
  );
}

/** The forms of the parts of a text that may be shown. Tokens are longer, and mix capitals and digits. */
const printableParts: readonly RegExp[] = [
  /^[A-Za-z\d]{1,6}$/,
  // Names in lower case, as in Kubernetes and registries; digests; times without punctuation.
  /^[a-z\d]+$|^\d+(?:T\d+)?Z?$/,
  // Words and abbreviations, fields and kinds: `MCOs`, `RFC3339`, `imageDigestMirrors`, `sha256Sum`.
  /^[A-Z]{1,12}s?\d{0,4}$/,
  /^[a-z]*(?:[A-Z]{1,5}[a-z]+)*[A-Z]{0,5}s?\d{0,4}$/,
  // Words and fields with one version inside: `siteConfigV2TestOutput`.
  /^[a-z]*\d{0,3}(?:[A-Z][a-z]{2,}\d{0,3})*(?:[A-Z]\d{1,2}(?:[A-Z][a-z]{2,}\d{0,3})*)?$/,
];
const isPrintablePart = (part: string): boolean => printableParts.some((form) => form.test(part));
const isPrintablePiece = (piece: string): boolean =>
  (piece.match(/[A-Za-z\d]+/g) ?? []).every(isPrintablePart);

const described = (text: string): string => `a text of ${text.length} characters`;

/** Most inserted texts: names and images in lower case, kinds and fields. No form of a credential matches these. */
const plainName = /^(?:[a-z\d./_-]*(?:@sha256:[a-f\d]{64})?|(?!eyJ)[A-Z]?[a-z]+(?:[A-Z][a-z]+)*)$/;

/**
 * Returns a text in which `[redacted]` replaces each word that may be a credential. A text that is only such a word
 * becomes `a text of 12 characters`.
 */
export function printable(text: string): string {
  if (plainName.test(text)) return text;
  const chosen = redactForeign(text).replace(/[^\s"'`]+/g, (piece) =>
    isPrintablePiece(piece) ? piece : redacted,
  );
  return chosen === redacted && text !== redacted ? described(text) : chosen;
}

/** Returns the printable form of a field's whole value. A value of several words is hidden: it may be a passphrase. */
export function printableValue(value: string): string {
  const text = value.trim();
  const hasWords = /\s/.test(text) && /[A-Za-z]{4}/.test(text);
  return hasWords && !/^a text of \d+ characters$/.test(text) ? described(value) : printable(value);
}

/** Returns a sentence in which `printable` has redacted each inserted value. */
export function sentence(words: TemplateStringsArray, ...values: readonly unknown[]): string {
  return String.raw({ raw: words }, ...values.map((one) => printable(String(one))));
}

/** Dates, time zones and similar objects contain no text to redact. */
const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Returns a JSON-shaped value in which every text and every field name is redacted. */
export function redactTexts<Value>(value: Value, field?: string): Value;
export function redactTexts(value: unknown, field = ""): unknown {
  const isText = typeof value === "string" || typeof value === "number";
  if (isText && isSecretName(field)) return value === "" ? "" : redacted;
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, field));
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [printableValue(name), redactTexts(one, name)]),
  );
}

/** C0 and C1 control characters, and characters that change the direction of text or are invisible. */
const controls = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** GitHub's runner reads `##[` as a command anywhere in a line of a log. */
const withoutCommand = (text: string): string => text.replaceAll("##[", "## [");

const escaped = (unit: string): string => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** Returns text of several lines with escaped control characters (`\u001b`); line breaks and tabs stay. */
export function visibleText(text: string): string {
  return withoutCommand(
    text.replace(controls, (unit) => (unit === "\n" || unit === "\t" ? unit : escaped(unit))),
  );
}

/** Returns text as one line: escapes control characters, and removes credentials of known forms. */
export function visibleLine(text: string): string {
  return withoutCommand(redactForeign(text).replace(controls, escaped));
}
