import { choice, type Field, list, object, orNull, parsed, partial, text } from "../../issues/field.ts";
import { isDnsSubdomain } from "../../issues/object-name.ts";
import { fieldsOf, isRecord, ownValue } from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";
import {
  data,
  isIdentityPrefix,
  isPolicyScope,
  needed,
  neededText,
  optional,
  type PolicyScope,
  policyProblem,
  someText,
  tested,
} from "./policy-field.ts";
import type { SignedIdentity, SigstoreRequirement } from "./policy-json.ts";

/*
 * The fields of ClusterImagePolicy and ImagePolicy with the rules of their CRDs (openshift/api, config/v1,
 * types_image_policy.go).
 */

/** The root of trust of a policy. The fields are in the order of the JSON of containers/image. */
type Trust = Pick<SigstoreRequirement, "keyData" | "fulcio" | "rekorPublicKeyData" | "pki">;

/** The maximum number of scopes of a policy. */
export const maxScopes = 256;
const scopeFormat = "host[:port][/path][:tag][@digest] or *.domain";
const aScope = `a scope: ${scopeFormat}`;
const scope = parsed(text({}, aScope), (value, path, refuse): PolicyScope | undefined => {
  if (value === "") return refuse(path, value, aScope);
  if (!isPolicyScope(value)) refuse(path, value, policyProblem(path, `must be ${scopeFormat}`, "warning"));
  return { scope: value, path };
});
const scopes = parsed(list(scope, {}, "a list of scopes"), (found, path, refuse, given) => {
  const count = Array.isArray(given) ? given.length : 0;
  if (count > maxScopes)
    refuse(path, count, policyProblem(path, `must have at most ${maxScopes} scopes`, "warning"));
  const seen = new Set<string>();
  for (const one of found) {
    if (seen.has(one.scope))
      refuse(one.path, one.scope, policyProblem(one.path, "must not be listed twice", "warning"));
    seen.add(one.scope);
  }
  return found;
});

function union<Value, To>(
  field: Field<Value>,
  chosen: string,
  members: Readonly<Record<string, string>>,
  to: (value: NonNullable<Value>) => To,
): Field<To | undefined> {
  return parsed(field, (value, path, refuse, given) => {
    const choice = ownValue(fieldsOf(value), chosen);
    for (const [name, ofChoice] of Object.entries(members)) {
      const at = `${path}.${name}`;
      const member = (isRecord(given) ? ownValue(given, name) : undefined) ?? undefined;
      if (choice === ofChoice && member === undefined) refuse(at, null, "an object");
      else if (choice !== undefined && choice !== ofChoice && member !== undefined)
        refuse(
          at,
          member,
          policyProblem(at, sentence`must not be set: ${chosen} is ${String(choice)}`, "warning"),
        );
    }
    return to(value);
  });
}

const isEmail = (value: string) =>
  value.length <= 320 && !/\s/.test(value) && value.slice(1, -1).includes("@");
const email = tested(isEmail, "an email address");
/** Reports whether Go's `url.ParseRequestURI` accepts a text: a whole URL, or only a path. */
const isUrl = (value: string) =>
  value.length <= 2048 &&
  /^(?:[a-z][-a-z0-9+.]*:|\/)/i.test(value) &&
  !/%(?![0-9a-f]{2})/i.test(value) &&
  URL.canParse(value, "http://host");
const isHostname = (value: string) => isDnsSubdomain(value.replace(/^\*\./, "")) && value.length <= 253;

const publicKey = object({
  keyData: neededText(data("PUBLIC KEY", { minLength: 68 })),
  rekorKeyData: optional(data("PUBLIC KEY")),
});
const fulcioCAWithRekor = object({
  fulcioCAData: neededText(data("CERTIFICATE")),
  rekorKeyData: neededText(data("PUBLIC KEY")),
  fulcioSubject: needed(
    object({ oidcIssuer: neededText(tested(isUrl, "a URL")), signedEmail: neededText(email) }),
    "an object",
  ),
});
const certificates = { minLength: 72, isBundle: true };
const pki = object({
  caRootsData: neededText(data("CERTIFICATE", certificates)),
  caIntermediatesData: optional(data("CERTIFICATE", certificates)),
  pkiCertificateSubject: needed(
    parsed(
      partial({
        email: optional(email),
        hostname: optional(tested(isHostname, "a DNS name in lower case, or *. and one")),
      }),
      (subject, path, refuse, given) =>
        subject.email === undefined && subject.hostname === undefined
          ? refuse(path, given, policyProblem(path, "must have an email or a hostname", "error"))
          : subject,
    ),
    "an object",
  ),
});

type Key = NonNullable<ReturnType<typeof publicKey.read>>;
type Fulcio = NonNullable<ReturnType<typeof fulcioCAWithRekor.read>>;
type Pki = NonNullable<ReturnType<typeof pki.read>>;

const ofKey = ({ keyData, rekorKeyData }: Key): Trust => ({
  keyData,
  ...(rekorKeyData === undefined ? {} : { rekorPublicKeyData: rekorKeyData }),
});
const ofFulcio = ({ fulcioCAData, rekorKeyData, fulcioSubject }: Fulcio): Trust => ({
  fulcio: {
    caData: fulcioCAData,
    oidcIssuer: fulcioSubject.oidcIssuer,
    subjectEmail: fulcioSubject.signedEmail,
  },
  rekorPublicKeyData: rekorKeyData,
});
const ofPki = ({ caRootsData, caIntermediatesData, pkiCertificateSubject }: Pki): Trust => ({
  pki: {
    caRootsData,
    ...(caIntermediatesData === undefined ? {} : { caIntermediatesData }),
    ...(pkiCertificateSubject.email === undefined ? {} : { subjectEmail: pkiCertificateSubject.email }),
    ...(pkiCertificateSubject.hostname === undefined
      ? {}
      : { subjectHostname: pkiCertificateSubject.hostname }),
  },
});

const policyTypes = ["PublicKey", "FulcioCAWithRekor", "PKI"] as const;
const rootOfTrust = union(
  partial({
    policyType: needed(
      choice(policyTypes, {}, () => "PublicKey, FulcioCAWithRekor or PKI"),
      "PublicKey, FulcioCAWithRekor or PKI",
    ),
    publicKey: orNull(publicKey),
    fulcioCAWithRekor: orNull(fulcioCAWithRekor),
    pki: orNull(pki),
  }),
  "policyType",
  { publicKey: "PublicKey", fulcioCAWithRekor: "FulcioCAWithRekor", pki: "PKI" },
  (trust): Trust | undefined => {
    if (trust.policyType === "PublicKey") return trust.publicKey && ofKey(trust.publicKey);
    if (trust.policyType === "PKI") return trust.pki && ofPki(trust.pki);
    return trust.policyType && trust.fulcioCAWithRekor && ofFulcio(trust.fulcioCAWithRekor);
  },
);

const prefix = neededText(
  parsed(someText, (value, path, refuse) =>
    isIdentityPrefix(value)
      ? value
      : refuse(path, value, "host[:port][/path] with a full host name, without tag or digest"),
  ),
);
const matchPolicies = [
  "MatchRepoDigestOrExact",
  "MatchRepository",
  "ExactRepository",
  "RemapIdentity",
] as const;
const matchPolicy = "MatchRepoDigestOrExact, MatchRepository, ExactRepository or RemapIdentity";
const signedIdentity = union(
  partial({
    matchPolicy: needed(
      choice(matchPolicies, {}, () => matchPolicy),
      matchPolicy,
    ),
    exactRepository: orNull(object({ repository: prefix })),
    remapIdentity: orNull(object({ prefix, signedPrefix: prefix })),
  }),
  "matchPolicy",
  { exactRepository: "ExactRepository", remapIdentity: "RemapIdentity" },
  (identity): SignedIdentity | undefined => {
    const { exactRepository, remapIdentity } = identity;
    switch (identity.matchPolicy) {
      case "MatchRepoDigestOrExact":
        return { type: "matchRepoDigestOrExact" };
      case "MatchRepository":
        return { type: "matchRepository" };
      case "ExactRepository":
        return exactRepository && { type: "exactRepository", dockerRepository: exactRepository.repository };
      case "RemapIdentity":
        return remapIdentity && { type: "remapIdentity", ...remapIdentity };
      default:
        return undefined;
    }
  },
);

/** The `spec` of a ClusterImagePolicy or ImagePolicy. */
export const imagePolicySpec = needed(
  partial({
    scopes: needed(scopes, "a list of scopes"),
    policy: needed(
      partial({ rootOfTrust: needed(rootOfTrust, "an object"), signedIdentity: orNull(signedIdentity) }),
      "an object",
    ),
  }),
  "an object",
);
