import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { json, X509Certificate } from "@sigstore/core";
import { repeatedKey } from "../kubernetes/json/repeated-key.ts";
import { fieldsOf, parseJson, textOf } from "../kubernetes/json/values.ts";
import { readPublicKey } from "../text/public-key.ts";
import { sentence } from "../text/redact.ts";

/*
 * Verifies certificates of signers and records of transparency logs as nodes do. Source: containers/image v5.36.2,
 * signature/fulcio_cert.go and signature/internal/rekor_set.go.
 */

/** A signature: the text that is signed, the signature of it, and the annotations with certificates and the log's record. */
type CertifiedSignature = Readonly<{ payload: string; annotations: Readonly<Record<string, unknown>> }>;

/** The signer that a certificate names: its key, its emails, and the OpenID Connect issuer that authenticated it. */
export type CertifiedSigner = Readonly<{ key: KeyObject; emails: readonly string[]; oidcIssuer: string }>;

/** Why a signature without a record does not count. */
export const notRecorded = "the transparency log of the policy has not recorded it";

const annotation = "dev.sigstore.cosign";
const signatureAnnotation = "dev.cosignproject.cosign/signature";

const bytesOf = (base64: unknown) => Buffer.from(textOf(base64) ?? "", "base64");

/** Returns the bytes in a PEM text. */
const pemBytes = (pem: string) => bytesOf(pem.replace(/-----[^-]*-----|\s/g, ""));

const pemOf = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();

/**
 * Returns the time at which a log recorded a signature by this key or certificate, given as PEM; undefined without a record that
 * one of the log's keys has signed.
 */
function timeRecorded(
  { payload, annotations }: CertifiedSignature,
  logKeys: readonly KeyObject[],
  verifier: string,
): Date | undefined {
  const text = textOf(annotations[`${annotation}/bundle`]) ?? "";
  const { SignedEntryTimestamp: promise, Payload: entry, ...others } = fieldsOf(parseJson(text));
  const { body, integratedTime, logIndex, logID, ...more } = fieldsOf(entry);
  const isEntry =
    Number.isSafeInteger(integratedTime) && Number.isSafeInteger(logIndex) && textOf(logID) !== undefined;
  if (!isEntry || Object.keys({ ...others, ...more }).length > 0 || repeatedKey(text) !== undefined)
    return undefined;
  const entryBytes = Buffer.from(json.canonicalize(entry));
  if (!logKeys.some((key) => verify("sha256", entryBytes, key, bytesOf(promise)))) return undefined;
  const { apiVersion, kind, spec } = fieldsOf(parseJson(bytesOf(body).toString()));
  const { data, signature } = fieldsOf(spec);
  const { content, publicKey } = fieldsOf(signature);
  const { algorithm, value } = fieldsOf(fieldsOf(data).hash);
  const isOfSignature =
    apiVersion === "0.0.1" &&
    kind === "hashedrekord" &&
    algorithm === "sha256" &&
    textOf(value)?.toLowerCase() === hash("sha256", payload) &&
    bytesOf(content).equals(bytesOf(annotations[signatureAnnotation])) &&
    pemBytes(bytesOf(fieldsOf(publicKey).content).toString()).equals(pemBytes(verifier));
  return isOfSignature ? new Date(Number(integratedTime) * 1000) : undefined;
}

/** Reports whether a log recorded a signature by this key. */
export const isRecorded = (
  signature: CertifiedSignature,
  logKeys: readonly KeyObject[],
  key: KeyObject,
): boolean => timeRecorded(signature, logKeys, pemOf(key)) !== undefined;

function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return X509Certificate.parse(block);
    } catch {
      return [];
    }
  });
}

const extensions = { keyUses: "2.5.29.37", names: "2.5.29.17", nameConstraints: "2.5.29.30" };
/** The extensions that nodes understand: a certificate with another one that is critical is refused. */
const known = ["14", "15", "17", "19", "30", "31", "32", "35", "37"].map((number) => `2.5.29.${number}`);
const codeSigning = ["1.3.6.1.5.5.7.3.3", "2.5.29.37.0"];

function partsOf(certificate: X509Certificate, extension: string) {
  return certificate.extension(extension)?.valueObj.subs[0]?.subs ?? [];
}

/** Reports whether one of these certificates, in PEM, permits only some names: nodes check that, and nothing here does. */
export const hasNameConstraints = (pem: string): boolean =>
  certificatesIn(pem).some((one) => one.extension(extensions.nameConstraints));

function isUsable(certificate: X509Certificate, at: Date): boolean {
  const uses = partsOf(certificate, extensions.keyUses).map((use) => use.toOID());
  const own = certificate.extensions.map(({ subs: [id] }) => id?.toOID() ?? "");
  return (
    certificate.validForDate(at) &&
    (uses.length === 0 || uses.some((use) => codeSigning.includes(use))) &&
    own.every((id) => known.includes(id) || !certificate.extension(id)?.critical)
  );
}

type Authorities = Readonly<Record<"roots" | "intermediates", readonly X509Certificate[]>>;

/** The most intermediate authorities that are tried: forged chains could take for ever. Chains in use have one or two. */
const maxIntermediates = 4;

/** Reports whether authorities certify a certificate at a time; `depth` is the number of intermediate ones below it. */
function isCertified(certificate: X509Certificate, authorities: Authorities, at: Date, depth = 0): boolean {
  if (!isUsable(certificate, at)) return false;
  const { roots, intermediates } = authorities;
  const issues = (issuer: X509Certificate): boolean =>
    issuer.isCA &&
    depth <= Number(issuer.extBasicConstraints?.pathLenConstraint ?? depth) &&
    issuer.subject.equals(certificate.issuer) &&
    certificate.verify(issuer);
  return (
    roots.some((root) => root.equals(certificate) || (issues(root) && isUsable(root, at))) ||
    (depth < maxIntermediates &&
      intermediates.some((one) => issues(one) && isCertified(one, authorities, at, depth + 1)))
  );
}

/** Returns the issuer of a signer's identity; undefined if the certificate names none, or two. */
function oidcIssuerOf(certificate: X509Certificate): string | undefined {
  const first = certificate.extension("1.3.6.1.4.1.57264.1.1")?.value.toString();
  const second = certificate.extension("1.3.6.1.4.1.57264.1.8")?.valueObj.subs[0]?.value.toString();
  return first !== undefined && second !== undefined && first !== second ? undefined : (second ?? first);
}

/**
 * Returns the signer whom the certificate of a signature names, if a certificate in `authorities` (PEM) certified it when the
 * log recorded the signature; otherwise the reason why not, as a clause.
 */
export function certifiedSigner(
  signature: CertifiedSignature,
  authorities: string,
  logKeys: readonly KeyObject[],
): CertifiedSigner | string {
  const { annotations } = signature;
  const pem = textOf(annotations[`${annotation}/certificate`]);
  if (pem === undefined) return "it has no certificate";
  const at = timeRecorded(signature, logKeys, pem);
  if (!at) return notRecorded;
  try {
    const [certificate, ...others] = certificatesIn(pem);
    if (!certificate || others.length > 0) return "it has no single certificate";
    const roots = certificatesIn(authorities);
    // The last certificate of a chain is its root, which counts only if the policy has it.
    const chain = certificatesIn(textOf(annotations[`${annotation}/chain`]) ?? "");
    const intermediates = chain.slice(0, -1).slice(0, maxIntermediates);
    if (!isCertified(certificate, { roots, intermediates }, at))
      return "no authority of the policy certified its signer at that time";
    const oidcIssuer = oidcIssuerOf(certificate);
    if (oidcIssuer === undefined) return "its certificate names no issuer of the signer's identity";
    const key = readPublicKey(
      pemOf(createPublicKey({ key: certificate.publicKey, format: "der", type: "spki" })),
    );
    if (!key) return "nodes cannot use the key in its certificate";
    const emails = partsOf(certificate, extensions.names).filter(({ tag }) => tag.isContextSpecific(1));
    return { key, emails: emails.map(({ value }) => value.toString()), oidcIssuer };
  } catch (error) {
    return sentence`its certificate cannot be read: ${(error as Error).message}`;
  }
}
