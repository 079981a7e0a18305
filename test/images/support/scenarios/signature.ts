import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Image } from "../registries/image.ts";
import { writeOciLayout } from "../registries/oci-layout.ts";
import { logReceipt } from "./transparency-log.ts";

/** A signer of images, with ECDSA on P-256 as sigstore's tools use it. */
export type Signer = Readonly<{
  privateKey: KeyObject;
  /** The certificate of the key as PEM, where the policy does not contain the key itself. */
  certificate?: string;
  /** The key of the transparency log that records the signatures; none by default. */
  logKey?: KeyObject;
}>;

function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
}

/** Creates a signer and its public key as PEM. */
export function makeSigner(): Signer & Readonly<{ publicKey: string }> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, publicKey: publicKeyOf(privateKey) };
}

/** Returns the tag under which a registry stores the signatures of a manifest, derived from its digest. */
export function signatureTag(digest: string): string {
  return `${digest.replace(":", "-")}.sig`;
}

/**
 * Signs an image under the name that people pull it by (`identity`: a repository, or one with a tag) and writes the
 * signatures as an image of their own, to be pushed under `signatureTag`. Format: sigstore's "simple signing" payload
 * as a layer; the signature of its SHA-256, the certificate and the log's receipt in the layer's annotations.
 */
export async function signImage(
  folder: string,
  { digest }: Image,
  identity: string,
  signers: readonly Signer[],
): Promise<Image> {
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { "docker-reference": identity },
        image: { "docker-manifest-digest": digest },
        type: "cosign container image signature",
      },
      optional: null,
    }),
  );
  const signatures = signers.map(({ privateKey, certificate, logKey }) => {
    const signature = sign("sha256", payload, privateKey);
    const verifier = certificate ?? publicKeyOf(privateKey);
    return {
      mediaType: "application/vnd.dev.cosign.simplesigning.v1+json",
      content: payload,
      annotations: {
        "dev.cosignproject.cosign/signature": signature.toString("base64"),
        ...(certificate ? { "dev.sigstore.cosign/certificate": certificate } : {}),
        ...(logKey
          ? { "dev.sigstore.cosign/bundle": logReceipt(logKey, { payload, signature, verifier }) }
          : {}),
      },
    };
  });
  const config = { architecture: "", os: "", config: {}, rootfs: { type: "layers", diff_ids: [] } };
  return { layout: folder, digest: await writeOciLayout(folder, config, signatures) };
}
