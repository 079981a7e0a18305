/** Replaces a credential. */
export const redacted = "[redacted]";

/** Two rounds are enough for all but contrived texts. */
const maxRounds = 8;

/** The longest text that is searched. Every pattern is bounded too, so that the worst text takes milliseconds. */
const maxText = 16_384;

const key = "(?:api|access|private|client|account|shared|signing)[-_ ]?key";
/** What the name of a field or header contains whose value is a credential, in any spelling: `apiKey`, `X-Api-Key`. */
const word = `(?:passw(?:or)?d|passphrase|secret|token|credential|${key})`;
/** Such names that mean something else as part of another: docker's `auth`, the signature of a signed URL. */
const short = "(?<![a-z\\d])(?:auth|pass|pwd|sig|(?:amz|goog)-signature|authorization|cookie)";
/** The end of a field's name. The name of an error, such as CredentialsProviderError, is not that of a field. */
const name = String.raw`(?:${word}[\w-]{0,40}(?<!Error|Exception)|${short})`;

/** Up to the next separator. What was replaced before is part of it, so that redacting again changes nothing. */
const unquoted = String.raw`(?:\[redacted\]|[^\s"',;&}\])])`;
/** A value in quotes, which may be escaped and unclosed. */
const quoted = String.raw`(?:"(?:[^"\\]|\\[\s\S])*"?|\\{1,8}"[^"]*"?|'[^']*'?)`;
const value = `(?:${quoted}${unquoted}*|${unquoted}+)`;
/** Where a line of YAML, its first field or a quoted text begins: between other words a name and a colon are words. */
const start = String.raw`(?<=(?:^|\\n)[ \t]{0,64}(?:- {1,4})?|["'\`](?:- {1,4})?|\{(?:[^{}\r\n]{0,256},)?[ \t]{0,5})[\w-]{0,40}?`;
const restOfLine = String.raw`[^\s"'\`,;}](?:\\"|[^\r\n"'\`,;}]){0,4096}`;
const block = String.raw`[|>][-+\d]{0,2}[ \t]{0,5}(?:(?:\r?\n|\\n)[ \t]{1,64}(?:(?!\\n)[^\r\n]){1,4096})+`;
/** A value of YAML that is no map and no list: a block, in quotes, or without. */
const scalar = String.raw`(?!\{|\[(?!redacted\]))(?:${block}|${quoted}|${restOfLine})`;

/** What follows the @ of an image is its digest, and no host. */
const notDigest = "(?!sha(?:256|384|512):)";

type Form = Readonly<{
  /** What every match of the pattern contains, in any case. It is searched for first, since that takes less time. */
  hint: RegExp;
  /** What every match contains as well: most texts with `pull-secret` have no value after it. */
  sign: string;
  /** The first group of the pattern stays. */
  pattern: RegExp;
}>;

const form = (hint: string, pattern: string, { flags = "gi", sign = "" } = {}): Form => ({
  // At most 16,384 characters.
  hint: RegExp(hint, "i"),
  sign,
  // At most 16,384 characters.
  pattern: RegExp(pattern, flags),
});
/** Tokens that begin alike: at least this many characters follow. */
const token = (prefix: string, least: number, next = ""): Form =>
  form(prefix, String.raw`()\b(?:${prefix})${next}[\w+/=-]{${least},4096}`, { flags: "g" });
/** A name of Kubernetes or of an image may begin as a token does (`pypi-mirror`), and has no capitals. */
const capital = "(?=[a-z\\d_+/=-]{0,256}[A-Z])";

const names = "passw|passphrase|secret|token|key|credential|auth|pass|pwd|sig|cookie";
const schemes = "basic|bearer|digest|negotiate|ntlm|token|apikey|aws4-";

// biome-ignore format: a table
/** The forms of credentials. What its own shape shows is first: a value that ends early would leave a part without. */
const forms: readonly Form[] = [
  // Keys in PEM and PGP's armor, whole or cut, and in base64.
  form("-----begin", String.raw`()-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)`, { flags: "g" }),
  token("LS0tLS1CRUdJTiB(?:QUklW|SU0Eg|FQyBQ|PUEVO|FTkNS|EU0Eg|QR1AgUFJJ)", 8),
  // A JSON web token; docker's logins in base64; tokens of OpenShift, AWS, GitHub, GitLab, npm, Docker, Vault, …
  form("eyJ", String.raw`()\beyJ[\w-]{8,4096}\.[\w-]{0,8192}(?:\.[\w-]{0,4096})?`, { flags: "g" }),
  token("eyJhdXRo", 8),
  token("sha256~", 16),
  token("AKIA|ASIA", 16),
  token("gh[opsur]_|github_pat_|gl[a-z]{2,5}-|dckr_[a-z]{3}_|npm_|pypi-|hv[sbr]\\.|AIza|ya29\\.|GOCSPX-", 20, capital),
  token("xox[a-z]-|xapp-", 10, capital),
  token("[sr]k_(?:live|test)_|SG\\.|AGE-SECRET-KEY-1", 16),
  // A hashed password of htpasswd or /etc/shadow.
  form("\\$", String.raw`()\$(?:2[abxy]|apr1|argon2id?|[1567y])\$[\w./$=,-]{8,256}`),
  // The rest of a header of HTTP, whatever its scheme, and the scheme without the header.
  form("authorization", String.raw`(authorization\\{0,8}["']?[ \t]{0,5}[:=][ \t]{0,5}\\{0,8}["']?)(?=(?:${schemes})[\w-]{0,20}[ \t])[^\r\n"']+`),
  form("cookie", String.raw`(cookie\\{0,8}["']?[ \t]{0,5}:[ \t]{0,5}\\{0,8}["']?)[\w.-]{1,128}=[^\r\n"']+`),
  form("bearer", String.raw`\b(bearer[ \t]{1,5})[\w.~+/=-]{8,}`),
  form("basic", String.raw`\b((?:[Bb]asic|BASIC)[ \t]{1,5})(?=[A-Za-z][a-z]{0,256}[A-Z\d+/=]|\d)[\w+/=-]{8,}`, { flags: "g" }),
  // A login in the part of a URL before its host, and one without a scheme.
  form(`@${notDigest}`, String.raw`(//)(?:[^\s/?#]{1,2048}|[^\s/?#:@]{0,128}:(?!\d{1,5}/)[^\s?#]{1,1024})(?=@${notDigest})`),
  form(`@${notDigest}`, String.raw`()(?<![\w.+%-])[\w.+%-]{1,128}:(?!\[redacted\]@)[^\s/?#"',]{1,256}(?=@${notDigest}[\w-])`),
  // Options of curl, docker, oc, skopeo; a line of netrc.
  form("--[a-z-]{0,80}(?:pass|token|cred|[-_ ]?key|secret)", String.raw`(--(?:[a-z]{1,20}-){0,3}(?:passw(?:or)?d|pass|token|creds|credentials|${key}|client-secret)(?:=|[ \t]{1,5}))${value}`),
  form("-u|--user|--proxy-user", String.raw`((?:(?<![\w-])-u[ \t]{0,5}|--(?:proxy-)?user[= ])["']?)[^\s:"'/]{1,128}:${value}`),
  form("login", String.raw`(\blogin\b[^\r\n]{1,128}?[ \t]-p[ \t]{0,5})${value}`),
  form("password", String.raw`(\b(?:machine|login|account)\s{1,64}\S{1,256}\s{1,64}password\s{1,64})${unquoted}+`),
  // A field's value, in a query, a shell, JSON, XML, YAML, a header.
  form(names, String.raw`(${name}\\{0,8}["']?\s{0,5}=\s{0,5})${value}`, { sign: "=" }),
  form(names, String.raw`(["'][\w-]{0,40}?${name}\\{0,8}["']\s{0,5}:(?:\s{0,5}(?=\\{0,8}["']|\d|\[redacted)|(?=[^\s{[])))${value}`, { sign: ":" }),
  form(names, String.raw`(<[\w:-]{0,40}?${name}>\s{0,5})[^<\s][^<]{0,4096}`, { sign: "<" }),
  form(names, String.raw`(${start}${name}[ \t]{0,5}:[ \t]{1,64})${scalar}`, { flags: "gim", sign: ":" }),
  form(names, String.raw`((?:(?:passw(?:or)?d|passphrase|${key}(?:-data)?)|(?<![\w./@:-])(?:secrets?|tokens?|credentials?|authorization|pass|pwd|auth|x-[\w-]{1,40}token)):)(?!\s|//)${value}`, { sign: ":" }),
];

/** In a sentence of another system, `token: abc` is a token. hubrelay's own say `quay.io/acme/token: no such image`. */
const inSentences: Form = form(
  names,
  String.raw`((?<![\w./-])[\w-]{0,40}?${name}["']?:[ \t]{1,64})${scalar}`,
  { sign: ":" },
);
const formsInSentences = [...forms, inSentences];

/** Matches every text that any pattern matches: one search instead of many in a text without credentials. */
const anyHint = RegExp([...new Set(forms.map(({ hint }) => hint.source))].join("|"), "i");

/** Names of fields and headers whose value is a credential, each as a whole: `secretName` is no secret. */
const secretField = RegExp(
  String.raw`^(?:(?:[a-z\d]+_)*(?:x-(?:[a-z]+-|[a-z\d]+_)*)?(?:[a-z\d]*?${word}s?|${short})|(?:proxy-)?authorization|(?:set-)?cookie|(?:private|api|client)-(?:token|key|secret)|client-key-data)$`,
  "i",
);

/** Reports whether a field or header of this name holds a credential (`password`, `Authorization`, `apiKey`). */
export function isSecretName(name: string): boolean {
  return secretField.test(name);
}

function without(searched: readonly Form[], text: string): string {
  if (!anyHint.test(text)) return text;
  let clean = text.length > maxText ? `${text.slice(0, maxText)}…` : text;
  // What was replaced may leave a text that only now has the form of a credential.
  for (let round = 0; round < maxRounds; round++) {
    const next = searched.reduce(
      (rest, { hint, sign, pattern }) =>
        rest.includes(sign) && hint.test(rest) ? rest.replace(pattern, `$1${redacted}`) : rest,
      clean,
    );
    if (next === clean) break;
    clean = next;
  }
  return clean;
}

/**
 * Removes the credentials in a text from outside, or in a sentence that quotes one. It recognizes forms, not secrets. No
 * form is one of hubrelay's own words, so that they stay, as do image references. Redacting again changes nothing. A text
 * of more than 16 Ki characters that may have one is cut.
 */
export function redact(text: string): string {
  return without(forms, text);
}

/** Removes the credentials in a message of another system, in whose sentences any `name: value` may be one. */
export function redactForeign(text: string): string {
  return without(formsInSentences, text);
}

/** Renders a sentence of hubrelay: values from outside are without credentials, whatever the words around them. */
export function sentence(words: TemplateStringsArray, ...values: readonly unknown[]): string {
  return String.raw({ raw: words }, ...values.map((one) => redactForeign(String(one))));
}

/** Fields of issues, decisions and results that hold sentences of hubrelay; every other text is a value from outside. */
const sentences: ReadonlySet<string> = new Set(
  "message remedy reason text found fix note problem problems detail differences verdict consequence".split(
    " ",
  ),
);

/** Dates, time zones and the like have no text of their own. */
const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));

const keyBegins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?![\s\S]*-----END )/;

/** Redacts items; the lines of a private key that became items have no form of their own. */
function redactItems(items: readonly unknown[], field: string): readonly unknown[] {
  let isInKey = false;
  return items.map((item) => {
    if (typeof item !== "string") return redactTexts(item, field);
    if (!isInKey) {
      isInKey = keyBegins.test(item);
      return redactTexts(item, field);
    }
    isInKey = !item.includes("-----END ");
    return redacted;
  });
}

/** Pairs of references, `source=mirror,…`, whose repositories may end in a word such as `secret`. */
const pairs = /^(?:[a-z\d][a-z\d._:/-]*=[a-z\d][a-z\d._:/-]*(?:,(?!$)|$))+$/;
const isPairs = (field: string, text: string) => field === "OPENSHIFT_IMG_OVERRIDES" && pairs.test(text);

/** Returns a value of JSON's shape with every text redacted, by the name of its field and by its form. */
export function redactTexts<Value>(value: Value, field?: string): Value;
export function redactTexts(value: unknown, field = ""): unknown {
  const isText = typeof value === "string" || typeof value === "number";
  if (isText && isSecretName(field)) return value === "" ? "" : redacted;
  if (typeof value === "string" && isPairs(field, value)) return value;
  if (typeof value === "string") return sentences.has(field) ? redact(value) : redactForeign(value);
  if (Array.isArray(value)) return redactItems(value, field);
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  // The name of a field may be from outside too: that of an annotation, or of a field that no kind has.
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [redactForeign(name), redactTexts(one, name)]),
  );
}

/** C0 and C1 control characters, and characters that change the direction of text or are invisible. */
const controls = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** GitHub's runner takes this for a command anywhere in a line of a log. */
const withoutCommand = (text: string): string => text.replaceAll("##[", "## [");

const escaped = (unit: string): string => `\\u${(unit.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** Returns text of several lines for people: escapes control characters (`\u001b`), but keeps line breaks and tabs. */
export function visibleText(text: string): string {
  return withoutCommand(
    text.replace(controls, (unit) => (unit === "\n" || unit === "\t" ? unit : escaped(unit))),
  );
}

/** Returns text for people on one line: escapes control characters, and removes what looks like a credential. */
export function visibleLine(text: string): string {
  return withoutCommand(redact(text).replace(controls, escaped));
}
