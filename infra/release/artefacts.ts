import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import packageJson from "../../package.json" with { type: "json" };

const { version } = packageJson;

/** The reference of the published image. */
export const publishedImage = `quay.io/hubrelay/hubrelay:${version}`;

/** The file names of a release. */
export const artefacts = {
  npmPackage: `hubrelay-${version}.tgz`,
  image: `hubrelay-image-${version}.tar`,
  imageFor: (architecture: string) => `hubrelay-image-${version}-${architecture}`,
  chart: `hubrelay-chart-${version}.tgz`,
  functionArchive: (name: string) => `hubrelay-lambda-${name}-${version}.zip`,
  /** The text that is signed for the image. It contains the image's digest. */
  imagePayload: `hubrelay-image-${version}.payload.json`,
  provenance: `hubrelay-${version}.intoto.jsonl`,
  checksums: "SHA256SUMS",
  publicKey: "hubrelay.pub",
} as const;

/** Returns the name of the file that lists an artefact's components. */
export const sbomOf = (artefact: string): string => `${artefact}.cdx.json`;
/** Returns the name of the file with the signature of `file`. */
export const signatureOf = (file: string): string => `${file}.sig`;

/** Returns the SHA-256 digest of each file in a folder, in hexadecimal digits. The key is the name of the file. */
export async function digestsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).sort(byCodeUnit);
  const digests = names.map(async (name) => {
    const content = await readFile(join(folder, name));
    return [name, hash("sha256", content)] as const;
  });
  return new Map(await Promise.all(digests));
}
