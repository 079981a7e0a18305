import { type KeyObject, verify } from "node:crypto";
import { tryResolveName } from "../images/image-name.ts";
import {
  formatImageReference,
  type ImageReference,
  isDigest,
  splitReference,
  tryParseImageReference,
} from "../images/image-reference.ts";
import { repeatedKey } from "../kubernetes/json/repeated-key.ts";
import {
  fieldsOf,
  isRecord,
  isStringList,
  parseJson,
  textOf,
  type UnknownRecord,
} from "../kubernetes/json/values.ts";
import { base64 } from "../mirrors/policies/policy-field.ts";
import { readPublicKey } from "../text/public-key.ts";
import { sentence } from "../text/redact.ts";
import { certifiedSigner, hasNameConstraints, isRecorded, notRecorded } from "./signing-certificate.ts";

// Verifies signatures as nodes do. Source: containers/image v5.36.2, signature/policy_eval_sigstore.go,
// signature/policy_reference_match.go and signature/internal/sigstore_payload.go.

/** A sigstore signature of a manifest: the signed text, and the annotations of the layer that contains the text. */
export type ImageSignature = Readonly<{ payload: string; annotations: Readonly<Record<string, unknown>> }>;

/** The full name by which nodes pull an image, and the digest of the manifest that they verify. */
export type VerifiedImage = Readonly<{ image: ImageReference; digest: string }>;

/**
 * What nodes find when they verify an image's signatures. `unread`: the registry refuses to return signatures.
 * `unreachable`: the registry does not respond. `unchecked`: only nodes can verify them. `reason` is a clause.
 */
export type SignatureVerdict =
  | Readonly<{ state: "valid" | "absent" }>
  | Readonly<{ state: "invalid" | "unread" | "unreachable" | "unchecked"; reason: string }>;

const signatureKey = "dev.cosignproject.cosign/signature";

const hasKeys = (value: unknown, ...keys: readonly string[]): boolean =>
  isRecord(value) && Object.keys(value).sort().join() === keys.join();

type Statement = Readonly<{ digest: string; name: string }>;

/** Undefined unless the text has exactly the format that nodes accept. */
function readStatement(payload: string): Statement | undefined {
  const value = fieldsOf(parseJson(payload));
  const { critical, optional } = value;
  const { type, image, identity } = fieldsOf(critical);
  const [digest, name] = [fieldsOf(image)["docker-manifest-digest"], fieldsOf(identity)["docker-reference"]];
  const { creator = "", timestamp = 0 } = fieldsOf(optional);
  const isExact =
    hasKeys(value, "critical", "optional") &&
    hasKeys(critical, "identity", "image", "type") &&
    hasKeys(image, "docker-manifest-digest") &&
    hasKeys(identity, "docker-reference") &&
    (optional === null || isRecord(optional)) &&
    typeof creator === "string" &&
    Number.isInteger(timestamp) &&
    repeatedKey(payload) === undefined;
  if (!isExact || type !== "cosign container image signature") return undefined;
  return typeof digest === "string" && isDigest(digest) && typeof name === "string"
    ? { digest, name }
    : undefined;
}

function parseSignedName(name: string): ImageReference | undefined {
  const [reference] = tryResolveName(name, { unqualifiedSearchRegistries: ["docker.io"] })?.references ?? [];
  const { tag, digest } = splitReference(name);
  return reference && tag === undefined && digest === undefined
    ? { repository: reference.repository }
    : reference;
}

function remapped(image: ImageReference, prefix: string, signedPrefix: string): ImageReference | undefined {
  if (image.repository !== prefix && !image.repository.startsWith(`${prefix}/`)) return image;
  return tryParseImageReference(signedPrefix + formatImageReference(image).slice(prefix.length));
}

const identityTypes = ["matchRepoDigestOrExact", "matchRepository", "exactRepository", "remapIdentity"];

function isIdentity(identity: UnknownRecord, image: ImageReference, signed: ImageReference): boolean {
  const { type, dockerRepository, prefix, signedPrefix } = identity;
  const isExactOrOfDigest = (wanted: ImageReference | undefined) =>
    !!wanted &&
    (signed.tag ?? signed.digest) !== undefined &&
    (wanted.tag === undefined
      ? wanted.repository === signed.repository
      : formatImageReference(wanted) === formatImageReference(signed));
  switch (type) {
    case "matchRepository":
      return image.repository === signed.repository;
    case "exactRepository":
      return parseSignedName(textOf(dockerRepository) ?? "")?.repository === signed.repository;
    case "remapIdentity":
      return isExactOrOfDigest(remapped(image, textOf(prefix) ?? "", textOf(signedPrefix) ?? ""));
    default:
      return isExactOrOfDigest(image);
  }
}

/** What a requirement asks for. `keysOf` returns the keys that may have signed, or the reason why there are none. */
type Wanted = Readonly<{
  keysOf: (signature: ImageSignature) => readonly KeyObject[] | string;
  identity: UnknownRecord;
}>;

const pemOf = (data: unknown) => Buffer.from(textOf(data) ?? "", "base64").toString("latin1");
const unreadableKey = "nodes cannot read the key of the policy";

function readKeys(data: readonly string[]): readonly KeyObject[] {
  const keys = data.flatMap((one) => readPublicKey(pemOf(one)) ?? []);
  return keys.length === data.length ? keys : [];
}

function keysOfSigner(
  { caData, oidcIssuer, subjectEmail }: UnknownRecord,
  logKeys: readonly KeyObject[],
  signature: ImageSignature,
): readonly KeyObject[] | string {
  const signer = certifiedSigner(signature, pemOf(caData), logKeys);
  if (typeof signer === "string") return signer;
  const { key, emails, oidcIssuer: issuer } = signer;
  if (issuer !== oidcIssuer) return sentence`${issuer} authenticated its signer`;
  return emails.some((email) => email === subjectEmail)
    ? [key]
    : sentence`its signer is ${emails.join(", ")}`;
}

/** Returns the keys and the identity of a requirement, or as a text the reason why only nodes can verify it. */
function readRequirement(requirement: unknown): Wanted | string {
  const {
    type,
    keyData,
    keyDatas = [keyData],
    fulcio,
    pki,
    signedIdentity,
    ...others
  } = fieldsOf(requirement);
  const { rekorPublicKeyData: log, rekorPublicKeyDatas: logs = log === undefined ? [] : [log] } = others;
  const identity = { type: "matchRepoDigestOrExact", ...fieldsOf(signedIdentity) };
  if (type !== "sigstoreSigned")
    return sentence`${textOf(type) ?? "a requirement"} is verified only by nodes`;
  if (pki !== undefined) return "signatures by certificate (pki) are verified only by nodes";
  if (!identityTypes.includes(identity.type))
    return sentence`the identity ${identity.type} is verified only by nodes`;
  const authority = fieldsOf(fulcio);
  const inFiles = Object.keys(others).some((name) => /Paths?$/.test(name)) || authority.caPath !== undefined;
  if (inFiles || !isStringList(logs)) return "the key is in a file of the nodes";
  // Nodes use no log with a key of another kind.
  const logKeys = readKeys(logs).filter(({ asymmetricKeyType }) => asymmetricKeyType === "ec");
  if (fulcio !== undefined) {
    if (hasNameConstraints(pemOf(authority.caData)))
      return "authorities with nameConstraints are verified only by nodes";
    return { keysOf: (signature) => keysOfSigner(authority, logKeys, signature), identity };
  }
  if (!isStringList(keyDatas)) return "the key is in a file of the nodes";
  const keys = readKeys(keyDatas);
  const keysOf = (signature: ImageSignature) => {
    if (keys.length === 0) return unreadableKey;
    if (logs.length === 0) return keys;
    const recorded = keys.filter((key) => isRecorded(signature, logKeys, key));
    return recorded.length > 0 ? recorded : notRecorded;
  };
  return { keysOf, identity };
}

function isSignedBy(keys: readonly KeyObject[] | string, { payload, annotations }: ImageSignature): boolean {
  const signature = textOf(annotations[signatureKey])?.replace(/[\r\n]/g, "");
  if (typeof keys === "string" || signature === undefined || !base64.test(signature)) return false;
  const bytes = Buffer.from(signature, "base64");
  return keys.some((key) =>
    verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", Buffer.from(payload), key, bytes),
  );
}

/** Returns the repositories whose images have signatures by a key or signer that a requirement accepts; each once. */
export function repositoriesSignedBy(
  requirement: object,
  signatures: readonly ImageSignature[],
): readonly string[] {
  const read = readRequirement(requirement);
  if (typeof read === "string") return [];
  const names = signatures
    .filter((one) => isSignedBy(read.keysOf(one), one))
    .map(({ payload }) => readStatement(payload)?.name);
  return [...new Set(names.flatMap((name) => parseSignedName(name ?? "")?.repository ?? []))];
}

/** Returns the emails and identity issuers of the signers whom an authority, given like the log's key as base64, certified. */
export function signersOf(
  signatures: readonly ImageSignature[],
  caData: string,
  logKeyData: string,
): readonly Readonly<{ email: string; oidcIssuer: string }>[] {
  return signatures.flatMap((one) => {
    const signer = certifiedSigner(one, pemOf(caData), readKeys([logKeyData]));
    if (typeof signer === "string") return [];
    return signer.emails.map((email) => ({ email, oidcIssuer: signer.oidcIssuer }));
  });
}

const notByKey = "no key of the policy has signed it";

function problemOf(
  { payload, annotations }: ImageSignature,
  { keysOf, identity }: Wanted,
  { image, digest }: VerifiedImage,
): string | undefined {
  const keys = keysOf({ payload, annotations });
  if (typeof keys === "string") return keys;
  if (!isSignedBy(keys, { payload, annotations })) return notByKey;
  const statement = readStatement(payload);
  if (!statement) return "what is signed is not a statement about an image";
  if (statement.digest !== digest) return sentence`it is the signature of ${statement.digest}`;
  const signed = parseSignedName(statement.name);
  if (!signed || !isIdentity(identity, image, signed))
    return sentence`it is the signature of ${statement.name}, which the policy's signedIdentity does not accept for ${formatImageReference(image)}`;
  return undefined;
}

/** Returns whether a manifest's signatures meet all requirements (of policy.json): one signature is enough for each. */
export function verifySignatures(
  signatures: readonly ImageSignature[],
  requirements: readonly unknown[],
  verified: VerifiedImage,
): SignatureVerdict {
  const wanted = requirements.filter((one) => fieldsOf(one).type !== "insecureAcceptAnything");
  const isAttached = wanted.some((one) => fieldsOf(one).type === "sigstoreSigned");
  if (isAttached && signatures.length === 0) return { state: "absent" };
  let unchecked: string | undefined;
  for (const requirement of wanted) {
    const read = readRequirement(requirement);
    if (typeof read === "string") {
      unchecked = read;
      continue;
    }
    const problems = signatures.map((one) => problemOf(one, read, verified));
    const problem = problems.find((one) => one !== notByKey) ?? problems[0];
    if (problem !== undefined && !problems.includes(undefined)) return { state: "invalid", reason: problem };
  }
  return unchecked === undefined ? { state: "valid" } : { state: "unchecked", reason: unchecked };
}
