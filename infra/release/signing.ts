import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { artefacts, publishedImage, signatureOf } from "./artefacts.ts";

/**
 * Reads a private Ed25519 key in PEM; with this type, signing a release twice gives the same bytes. Throws for any
 * other key; the message contains no part of the key.
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

/** Returns an in-toto statement in a DSSE envelope, as one line of JSON; without a key, it has no signature. */
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

/** Returns DSSE's pre-authentication encoding, the text that a signature in a DSSE envelope signs. */
function encoded(type: string, payload: string): string {
  return `DSSEv1 ${Buffer.byteLength(type)} ${type} ${Buffer.byteLength(payload)} ${payload}`;
}

function keyId(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  return hash("sha256", der);
}

/** Writes the text that is signed for the image, in a file next to the image's archive. Returns this text. */
export async function writeImagePayload(folder: string): Promise<string> {
  const payload = imagePayload(await imageDigest(join(folder, artefacts.image)));
  await writeFile(join(folder, artefacts.imagePayload), payload);
  return payload;
}

/** Writes the image's signature in Base64, as `cosign attach signature` expects it. */
export async function writeImageSignature(folder: string, payload: string, key: KeyObject): Promise<void> {
  const signature = signatureBy(key, payload).toString("base64");
  await writeFile(join(folder, signatureOf(artefacts.imagePayload)), signature);
}

const index = z.object({ manifests: z.tuple([z.object({ digest: z.string() })]) });

async function imageDigest(archive: string): Promise<string> {
  const { stdout } = await succeeded("tar", ["-xOf", archive, "index.json"], { cwd: paths.root });
  return index.parse(JSON.parse(stdout)).manifests[0].digest;
}

/** Returns the text that cosign and containers/image sign for an image. */
function imagePayload(digest: string): string {
  return JSON.stringify({
    critical: {
      identity: { "docker-reference": publishedImage },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    },
    optional: null,
  });
}
