import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from "node:crypto";
import { readFile } from "node:fs/promises";

/**
 * Reads a private Ed25519 key in PEM. Its signatures depend only on key and content, so a release is signed twice with
 * the same bytes. Throws if it is another kind of key; no message contains any of it.
 */
export async function readSigningKey(file: string): Promise<KeyObject> {
  const pem = await readFile(file, "utf8");
  const key = ((): KeyObject | undefined => {
    try {
      return createPrivateKey(pem);
    } catch {
      return undefined;
    }
  })();
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw new Error(`${file} has no Ed25519 key. Fix: openssl genpkey -algorithm ed25519 -out ${file}`);
}

/** Returns the public key in PEM. */
export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
}

/** Returns the signature of the content. */
export function signatureBy(key: KeyObject, content: string | Uint8Array): Buffer {
  return sign(null, Buffer.from(content), key);
}

/** Returns an in-toto statement in a DSSE envelope, as one line of JSON; without a key it has no signature. */
export function signedEnvelope(statement: object, key: KeyObject | undefined): string {
  const payloadType = "application/vnd.in-toto+json";
  const payload = JSON.stringify(statement);
  const signatures = key ? [{ keyid: keyId(key), sig: signatureBy(key, encoded(payloadType, payload)) }] : [];
  const envelope = {
    payloadType,
    payload: Buffer.from(payload).toString("base64"),
    signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig: sig.toString("base64") })),
  };
  return `${JSON.stringify(envelope)}\n`;
}

/** DSSE's pre-authentication encoding: what is signed. */
function encoded(type: string, payload: string): string {
  return `DSSEv1 ${Buffer.byteLength(type)} ${type} ${Buffer.byteLength(payload)} ${payload}`;
}

function keyId(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  return hash("sha256", der);
}
