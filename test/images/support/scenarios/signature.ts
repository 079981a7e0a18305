import { type Signer, signatureLayers } from "../../../support/servers/cosign-signatures.ts";
import { type Image, writeOciLayout } from "../registries/image.ts";

/** Writes the signatures of an image as an image of their own, to be pushed under `signatureTag`. */
export async function signImage(
  folder: string,
  { digest }: Image,
  identity: string,
  signers: readonly Signer[],
): Promise<Image> {
  const config = { architecture: "", os: "", config: {}, rootfs: { type: "layers", diff_ids: [] } };
  const layers = signatureLayers(digest, identity, signers);
  return { layout: folder, digest: await writeOciLayout(folder, config, layers) };
}
