import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Image } from "./image.ts";
import { writeOciLayout } from "./oci-layout.ts";

/** A key pair as sigstore's tools make it: ECDSA on P-256. */
export type SigningKey = Readonly<{
  privateKey: KeyObject;
  /** The public key as PEM. */
  publicPem: string;
}>;

export function makeSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, publicPem: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

/** Where a registry holds the signatures of a manifest, beside the image: a tag made from its digest. */
export function signatureTag(digest: string): string {
  return `${digest.replace(":", "-")}.sig`;
}

/**
 * Signs an image under the name that people pull it by (`identity`: a repository, or one with a tag) and
 * writes the signature as an image of its own, to be pushed under `signatureTag`. Format: sigstore's "simple
 * signing" payload as the layer, the ECDSA signature of its SHA-256 in the layer's annotation.
 */
export async function signImage(
  folder: string,
  { digest }: Image,
  identity: string,
  { privateKey }: SigningKey,
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
  const signature = {
    mediaType: "application/vnd.dev.cosign.simplesigning.v1+json",
    content: payload,
    annotations: {
      "dev.cosignproject.cosign/signature": sign("sha256", payload, privateKey).toString("base64"),
    },
  };
  const config = { architecture: "", os: "", config: {}, rootfs: { type: "layers", diff_ids: [] } };
  return { layout: folder, digest: await writeOciLayout(folder, config, [signature]) };
}
