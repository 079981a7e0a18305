/** What stands where a credential stood. */
export const redacted = "[redacted]";

/** What is searched at most; every pattern is bounded too, so that the worst text costs milliseconds. */
const longestText = 16_384;

/** Field and header names whose value is a credential, in any spelling: `apiKey`, `api-key`, `X-Api-Key`. */
const secretName =
  /authorization|cookie|passw(?:or)?d|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential/i;

const replacements: readonly Readonly<{ pattern: RegExp; by: string }>[] = [
  // The rest of an Authorization or Cookie header, whatever its scheme.
  {
    pattern: /((?:authorization|cookie)["']?[ \t]{0,5}[:=][ \t]{0,5}["']?)[^\r\n"']{1,8192}/gi,
    by: `$1${redacted}`,
  },
  { pattern: /\b(bearer[ \t]{1,5})[\w.~+/=-]{8,8192}/gi, by: `$1${redacted}` },
  {
    pattern:
      /((?:passw(?:or)?d|secret|token|(?:api|access|private)[-_ ]?key|credential)[\w-]{0,40}["']?\s{0,5}[:=]\s{0,5})(?:"[^"]{0,8192}"?|'[^']{0,8192}'?|[^\s"',;&}\])]{1,8192})/gi,
    by: `$1${redacted}`,
  },
  // user:password@ in a URL.
  { pattern: /(\/\/)[^\s/?#@]{1,1024}(?:@[^\s/?#@]{1,1024}){0,4}@/g, by: `$1${redacted}@` },
  // user:password@ before a host, where an image or a registry is named without a scheme.
  {
    pattern: /(?<![\w.+%-])[\w.+%-]{1,128}:[^\s/?#@:"',]{1,1024}@(?=[\w-]{1,63}\.)/g,
    by: `${redacted}@`,
  },
  {
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    by: redacted,
  },
  // A JSON web token, an OpenShift token, an AWS access key id.
  { pattern: /\beyJ[\w-]{8,4096}\.[\w-]{0,8192}(?:\.[\w-]{0,4096})?/g, by: redacted },
  { pattern: /\bsha256~[\w-]{16,256}/g, by: redacted },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, by: redacted },
];

/** True for the name of a field or header that holds a credential (`password`, `Authorization`, `apiKey`). */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * The text without whatever looks like a credential: authorization headers, `password=…`, tokens, keys, the
 * user part of a URL. A last line of defence for logs and reasons, not a licence to log bodies: it knows
 * shapes, not secrets. Texts beyond 16 Ki characters are cut.
 */
export function redact(text: string): string {
  return replacements.reduce(
    (clean, { pattern, by }) => clean.replace(pattern, by),
    text.length > longestText ? `${text.slice(0, longestText)}…` : text,
  );
}

/** A value of JSON with every text in it redacted; names of fields stay, and what has no text is the same. */
export function redactTexts(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(redactTexts);
  if (typeof value !== "object" || value === null) return value;
  return redactFields(value);
}

/** As `redactTexts`, for an object. */
export function redactFields(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, field]) => [name, redactTexts(field)]));
}
