import { hash, type KeyObject, sign } from "node:crypto";

/** What a log records: a signature, what it signs, and the PEM of the key or certificate that verifies it. */
export type LoggedSignature = Readonly<{ payload: Buffer; signature: Buffer; verifier: string }>;

/**
 * Returns the receipt of a transparency log, as it is stored beside a signature: an entry of kind `hashedrekord`, and
 * the log's signature of it, which is over the entry in canonical JSON (RFC 8785). The keys below are ASCII and sorted,
 * and no number has a fraction, so `JSON.stringify` writes exactly that.
 */
export function logReceipt(logKey: KeyObject, { payload, signature, verifier }: LoggedSignature): string {
  const data = { hash: { algorithm: "sha256", value: hash("sha256", payload) } };
  const publicKey = { content: Buffer.from(verifier).toString("base64") };
  const record = {
    apiVersion: "0.0.1",
    kind: "hashedrekord",
    spec: { data, signature: { content: signature.toString("base64"), publicKey } },
  };
  const entry = {
    body: Buffer.from(JSON.stringify(record)).toString("base64"),
    integratedTime: Math.floor(Date.now() / 1000),
    logID: "0".repeat(64),
    logIndex: 1,
  };
  const promise = sign("sha256", Buffer.from(JSON.stringify(entry)), logKey);
  return JSON.stringify({ SignedEntryTimestamp: promise.toString("base64"), Payload: entry });
}
