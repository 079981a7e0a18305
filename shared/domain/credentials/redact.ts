/** Replaces a credential. */
export const redacted = "[redacted]";

/** Two rounds are enough for all but contrived texts. */
const maxRounds = 8;

/** The longest text that is searched. Every pattern is bounded too, so that the worst text takes milliseconds. */
const longestText = 16_384;

/** Names of fields and headers whose value is a credential, in any spelling: `apiKey`, `api-key`, `X-Api-Key`. */
const secretName =
  /authorization|cookie|passw(?:or)?d|passphrase|secret|token|(?:api|access|private|client)[-_]?key|credential|(?:^|[-_])(?:auth|pass|pwd|sig)$/i;

/** Where an image reference ends: not where a password goes on. */
const end = String.raw`(?=$|[\s"'\`,;|)\]}>…]|\\+["nrt]|:(?:\s|$))`;
const tag = String.raw`\w[\w.-]{0,127}(?:@sha256:[a-f\d]|${end})`;
/**
 * A tag after a repository with a path, or a port after a registry, unless the name is only that of a password or key. A
 * single word before the port may as well be the name of a field, and a password may be a number.
 */
const ofImage = [
  String.raw`(?<=/(?!(?:passw(?:or)?d|passphrase|(?:api|access|private|client)[-_]?key):)[a-z\d._-]{1,128}:)${tag}`,
  String.raw`(?<=(?<![\w.-])(?![a-z\d.-]{0,128}(?:pass|key))[a-z\d]{1,128}[.-][a-z\d.-]{1,128}:)[1-9]\d{1,4}(?:/[a-z\d][a-z\d._/-]{0,255})?(?::${tag}|@sha256:[a-f\d]|${end})`,
].join("|");
/** An object or array of JSON, whose fields have names of their own. */
const ofJson = String.raw`(?<=:\s{0,5})(?:\{\s{0,5}\\{0,8}["}]|\[\s{0,5}(?:\\{0,8}["\]]|[[{]))`;
/** Is before a value that is not one of an image or of JSON. */
const notExempt = `(?!(?-i:${ofImage})|${ofJson})`;

/** The rest of a field's name and what is before its value; a quote may be escaped, for JSON in a JSON string. */
const beforeValue = String.raw`\\{0,8}["']?\s{0,5}[:=]\s{0,5}${notExempt}`;
/** Up to the next separator. What was replaced before is part of it, so that redacting again changes nothing. */
const unquoted = String.raw`(?:\[redacted\]|[^\s"',;&}\])])`;
/** A value in quotes, which may be escaped and unclosed, or one without. */
const value = String.raw`(?:(?:"(?:[^"\\]|\\[\s\S])*"?|\\{1,8}"[^"]*"?|'[^']*'?)${unquoted}*|${unquoted}+)`;

/** `secret`, unless it begins the location of a secret of AWS: `secretsmanager:NAME`. */
const secretWord = String.raw`secret(?!(?<![\w-]secret)smanager:[\w/])`;

/** What is recognized by its own shape is replaced first: a value that ends early would leave a part without a shape. */
const replacements: readonly Readonly<{
  /** What every match of the pattern contains, as part of a regular expression without regard to case. */
  hint: string;
  pattern: RegExp;
  by: string;
}>[] = [
  {
    hint: "-----begin",
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    by: redacted,
  },
  // A JSON web token, an OpenShift token, an AWS access key id.
  { hint: "eyJ", pattern: /\beyJ[\w-]{8,4096}\.[\w-]{0,8192}(?:\.[\w-]{0,4096})?/g, by: redacted },
  { hint: "sha256~", pattern: /\bsha256~[\w-]{16,256}/g, by: redacted },
  { hint: "AKIA|ASIA", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, by: redacted },
  // Tokens of GitHub, GitLab and npm.
  {
    hint: "gh[opsur]_|github_pat_|glpat-|npm_",
    pattern: /\b(?:gh[opsur]_|github_pat_|glpat-|npm_)[\w-]{20,256}/g,
    by: redacted,
  },
  // The rest of an Authorization or Cookie header, whatever its scheme.
  {
    hint: "authorization|cookie",
    pattern: new RegExp(
      String.raw`((?:authorization|cookie)\\{0,8}["']?[ \t]{0,5}[:=][ \t]{0,5}${notExempt}\\{0,8}["']?)[^\r\n"']+`,
      "gi",
    ),
    by: `$1${redacted}`,
  },
  { hint: "bearer", pattern: /\b(bearer[ \t]{1,5})[\w.~+/=-]{8,}/gi, by: `$1${redacted}` },
  // The name of an error, such as CredentialsProviderError, is not the name of a field.
  {
    hint: "passw|passphrase|secret|token|key|credential",
    pattern: new RegExp(
      String.raw`((?:passw(?:or)?d|passphrase|${secretWord}|token|(?:api|access|private|client)[-_ ]?key|credential)[\w-]{0,40}(?<!Error|Exception)${beforeValue})${value}`,
      "gi",
    ),
    by: `$1${redacted}`,
  },
  // Short names stand alone: docker's "auth", pass=, the signature of a signed URL.
  {
    hint: "auth|pass|pwd|sig",
    pattern: new RegExp(
      String.raw`((?<![a-z\d])(?:auth|pass|pwd|sig|(?:amz|goog)-signature)${beforeValue})${value}`,
      "gi",
    ),
    by: `$1${redacted}`,
  },
  // user:password@ in a URL.
  { hint: "@", pattern: /(\/\/)[^\s/?#]+@/g, by: `$1${redacted}@` },
  // user:password@ before a host, in the name of an image or a registry without a scheme.
  {
    hint: "@",
    pattern: /(?<![\w.+%-])[\w.+%-]{1,128}:(?!\[redacted\]@)[^\s/?#@:"',]{1,1024}@(?=[\w-]{1,63}\.)/g,
    by: `${redacted}@`,
  },
];

/** Matches every text that any pattern matches: one search instead of eleven in a text without credentials. */
const anyHint = new RegExp(replacements.map(({ hint }) => hint).join("|"), "i");

/** Reports whether a field or header of this name holds a credential (`password`, `Authorization`, `apiKey`). */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * Removes everything that looks like a credential: authorization headers, `password=…`, tokens, keys, the user
 * part of a URL. It is the last line of defence for logs and reasons, not a licence to log bodies: it recognizes
 * shapes, not secrets. Image references and objects of JSON stay, whatever their names. Redacting again changes
 * nothing. Texts longer than 16 Ki characters are cut.
 */
export function redact(text: string): string {
  const searched = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  if (!anyHint.test(searched)) return searched;
  let clean = searched;
  // What was replaced may leave a text that only now has the form of a credential.
  for (let round = 0; round < maxRounds; round++) {
    const next = replaced(clean);
    if (next === clean) break;
    clean = next;
  }
  return clean;
}

function replaced(text: string): string {
  return replacements.reduce((clean, { pattern, by }) => clean.replace(pattern, by), text);
}

/** Returns a JSON value with every text redacted. Field names stay; a value without text is returned unchanged. */
export function redactTexts(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(redactTexts);
  if (typeof value !== "object" || value === null) return value;
  return redactFields(value);
}

/** Redacts the texts of an object as `redactTexts` does. */
export function redactFields(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, field]) => [name, redactTexts(field)]));
}
