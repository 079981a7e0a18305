import { createPublicKey, type KeyObject } from "node:crypto";

/** Reads a public key (PEM) of a kind that CRI-O verifies with: RSA, Ed25519, or a curve of Go's crypto/x509. */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    const key = /^-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(pem) ? createPublicKey(pem) : undefined;
    const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve = "" } = {} } = key ?? {};
    const isKnown = type === "ec" ? /^(?:prime256v1|secp(?:224|384|521)r1)$/.test(namedCurve) : true;
    return isKnown && ["ec", "rsa", "ed25519"].includes(type ?? "") ? key : undefined;
  } catch {
    return undefined;
  }
}
