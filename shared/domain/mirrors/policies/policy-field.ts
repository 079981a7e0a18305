import { isMirror, isSource } from "../../images/location-format.ts";
import { type Field, parsed, type RequiredField, text } from "../../issues/field.ts";
import type { Problem } from "../../issues/issue.ts";
import { readableCertificates } from "../../text/certificates.ts";
import { readPublicKey } from "../../text/public-key.ts";
import { sentence } from "../../text/redact.ts";

/** Returns a problem of an image policy's field. Callers pass `warning` if only the API server refuses the field. */
export const policyProblem = (path: string, problem: string, severity: "error" | "warning"): Problem => ({
  code: "InvalidImagePolicy",
  severity,
  message: sentence`${path} ${problem}`,
  remedy: sentence`Change ${path}; the API server refuses the policy.`,
});

/** Returns the field as required. Null counts as absent, as for the API server. */
export const needed = <Value>(field: Field<Value>, wanted: string): RequiredField<Value | undefined> => ({
  ...field,
  isRequired: true,
  read: (value, path, refuse) =>
    value === undefined || value === null ? refuse(path, null, wanted) : field.read(value, path, refuse),
});

const aString = "a string that is not empty";
export const someText = parsed(text({}, aString), (value, path, refuse) =>
  value === "" ? refuse(path, value, aString) : value,
);
export const neededText = (field: Field<string | undefined> = someText) => needed(field, aString);

/** Returns the field as optional. An empty text is read as absent, as the operator does, with a warning. */
export const optional = (field: Field<string | undefined>): Field<string | undefined> => ({
  ...field,
  read(value, path, refuse) {
    if (value !== "") return field.read(value ?? undefined, path, refuse);
    return refuse(path, value, policyProblem(path, `must be ${aString}`, "warning"));
  },
});

/** Returns a text field. A text for which `is` returns false is kept, with a warning that it should be `wanted`. */
export const tested = (is: (text: string) => boolean, wanted: string): Field<string | undefined> =>
  parsed(someText, (value, path, refuse) => {
    if (!is(value)) refuse(path, value, policyProblem(path, sentence`must be ${wanted}`, "warning"));
    return value;
  });

type Pem = "PUBLIC KEY" | "CERTIFICATE";
type DataRules = Readonly<{ minLength?: number; isBundle?: boolean }>;

const maxLength = 8192;
export const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

function isPem(decoded: Buffer, pem: Pem, { minLength = 0, isBundle = false }: DataRules): boolean {
  const text = decoded.toString("latin1");
  const [begin, end] = [`-----BEGIN ${pem}-----`, `-----END ${pem}-----`];
  const isPaired = !isBundle || occurrences(text, begin) === occurrences(text, end);
  const isWhole = isPaired && decoded.toString("base64").length >= minLength;
  const isUtf8 = Buffer.from(decoded.toString()).equals(decoded);
  return isWhole && isUtf8 && text.startsWith(begin) && text.replace(/\n$/, "").endsWith(end);
}

/** Returns a field with the base64 of a PEM text. The value is decoded and encoded again, as Go would write it. */
export const data = (pem: Pem, rules: DataRules = {}): Field<string | undefined> =>
  parsed(someText, (value, path, refuse) => {
    const encoded = value.replace(/[\r\n]/g, "");
    if (!base64.test(encoded)) return refuse(path, value, "base64");
    const decoded = Buffer.from(encoded, "base64");
    const isValid = isPem(decoded, pem, rules);
    const report = (problem: string, shown: unknown = value) =>
      refuse(path, shown, policyProblem(path, problem, "warning"));
    if (encoded !== value) report("must be base64 without line breaks");
    if (!isValid) report(`must be base64 of a PEM block "${pem}"`);
    if (encoded.length > maxLength) report(`must have at most ${maxLength} characters`, encoded.length);
    const latin1 = decoded.toString("latin1");
    const isUsable =
      pem === "PUBLIC KEY" ? readPublicKey(latin1) !== undefined : readableCertificates(latin1).length > 0;
    // The API server accepts any content between BEGIN and END; the nodes' container runtime does not.
    if (isValid && !isUsable)
      refuse(path, value, {
        code: "UnusableKey",
        severity: "warning",
        message: sentence`${path} is not a ${pem.toLowerCase()} that nodes can read: they pull no image of the scopes`,
        remedy: sentence`Write the base64 of the file with the ${pem.toLowerCase()}.`,
      });
    return decoded.toString("base64");
  });

/** One scope of a policy, and the path of this list item. */
export type PolicyScope = Readonly<{ scope: string; path: string }>;

const tagFormat = /^\w[\w.-]{0,127}$/;
const digestFormat = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** The API's limit on the length of a scope. It also limits the time that the regular expressions above take. */
const maxScopeLength = 512;

/** The container runtime accepts `localhost` and hosts with several labels. */
function hasFullHost(name: string): boolean {
  const [host = ""] = name.split(/[/:]/, 1);
  return host === "localhost" || host.includes(".");
}

/** Reports whether the API server accepts a scope of an image policy. The scope needs a full host. */
export function isPolicyScope(scope: string): boolean {
  if (scope.length > maxScopeLength) return false;
  if (scope.includes("*")) return isSource(scope);
  const at = scope.indexOf("@");
  if (at >= 0 && !digestFormat.test(scope.slice(at + 1))) return false;
  const named = at < 0 ? scope : scope.slice(0, at);
  if (isMirror(named)) return hasFullHost(named);
  const colon = named.lastIndexOf(":");
  if (colon < 0 || !tagFormat.test(named.slice(colon + 1))) return false;
  const repository = named.slice(0, colon);
  return isMirror(repository) && hasFullHost(repository);
}

/** Reports whether the API server accepts a repository or prefix that signatures are compared with. */
export function isIdentityPrefix(prefix: string): boolean {
  // The API mistakes the port of a host without a path for a tag, except for `localhost`.
  const isTagged = prefix.includes(":", prefix.lastIndexOf("/") + 1) && !/^localhost:\d+$/.test(prefix);
  return prefix.length <= maxScopeLength && isMirror(prefix) && hasFullHost(prefix) && !isTagged;
}
