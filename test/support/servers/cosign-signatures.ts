import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto";

/** A signer of images, with ECDSA on P-256 as sigstore's tools use it. */
export type Signer = Readonly<{
  privateKey: KeyObject;
  /** The certificate of the key as PEM, where the policy does not contain the key itself. */
  certificate?: string;
  /** The certificates of the authorities that certified it, as PEM, the root last. */
  chain?: string;
  /** The key of the transparency log that records the signatures; none by default. */
  logKey?: KeyObject;
}>;

function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
}

/** Creates a signer and its public key as PEM. */
export function makeSigner(
  { privateKey }: Readonly<{ privateKey: KeyObject }> = generateKeyPairSync("ec", { namedCurve: "P-256" }),
): Signer & Readonly<{ publicKey: string }> {
  return { privateKey, publicKey: publicKeyOf(privateKey) };
}

/** Returns the tag under which a registry stores the signatures of a manifest, derived from its digest. */
export function signatureTag(digest: string): string {
  return `${digest.replace(":", "-")}.sig`;
}

/** A layer of the image that contains a manifest's signatures. */
type SignatureLayer = Readonly<{
  mediaType: string;
  content: Buffer;
  annotations: Readonly<Record<string, string>>;
}>;

/**
 * Signs the manifest with this digest under the name that people pull it by (`identity`: a repository, or one with a tag).
 * Format: sigstore's "simple signing" payload as a layer; the signature of its SHA-256, the certificate and the log's receipt
 * in the layer's annotations. `payloadOf` changes the payload before it is signed.
 */
export function signatureLayers(
  digest: string,
  identity: string,
  signers: readonly Signer[],
  payloadOf: (statement: object) => string = JSON.stringify,
  recordedAt = new Date(),
): readonly SignatureLayer[] {
  const payload = Buffer.from(
    payloadOf({
      critical: {
        identity: { "docker-reference": identity },
        image: { "docker-manifest-digest": digest },
        type: "cosign container image signature",
      },
      optional: null,
    }),
  );
  return signers.map(({ privateKey, certificate, chain, logKey }) => {
    const algorithm = privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
    const signature = sign(algorithm, payload, privateKey);
    const verifier = certificate ?? publicKeyOf(privateKey);
    return {
      mediaType: "application/vnd.dev.cosign.simplesigning.v1+json",
      content: payload,
      annotations: {
        "dev.cosignproject.cosign/signature": signature.toString("base64"),
        ...(certificate ? { "dev.sigstore.cosign/certificate": certificate } : {}),
        ...(chain ? { "dev.sigstore.cosign/chain": chain } : {}),
        ...(logKey
          ? { "dev.sigstore.cosign/bundle": logReceipt(logKey, { payload, signature, verifier }, recordedAt) }
          : {}),
      },
    };
  });
}

/** What a log records: a signature, what it signs, and the PEM of the key or certificate that verifies it. */
export type LoggedSignature = Readonly<{ payload: Buffer; signature: Buffer; verifier: string }>;

/**
 * Returns the receipt of a transparency log, as it is stored beside a signature: an entry of kind `hashedrekord`, and
 * the log's signature of it, which is over the entry in canonical JSON (RFC 8785). The keys below are ASCII and sorted,
 * and no number has a fraction, so `JSON.stringify` writes exactly that.
 */
export function logReceipt(
  logKey: KeyObject,
  { payload, signature, verifier }: LoggedSignature,
  at = new Date(),
): string {
  const data = { hash: { algorithm: "sha256", value: hash("sha256", payload) } };
  const publicKey = { content: Buffer.from(verifier).toString("base64") };
  const record = {
    apiVersion: "0.0.1",
    kind: "hashedrekord",
    spec: { data, signature: { content: signature.toString("base64"), publicKey } },
  };
  const entry = {
    body: Buffer.from(JSON.stringify(record)).toString("base64"),
    integratedTime: Math.floor(at.getTime() / 1000),
    logID: "0".repeat(64),
    logIndex: 1,
  };
  const promise = sign("sha256", Buffer.from(JSON.stringify(entry)), logKey);
  return JSON.stringify({ SignedEntryTimestamp: promise.toString("base64"), Payload: entry });
}
