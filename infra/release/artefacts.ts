import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import packageJson from "../../package.json" with { type: "json" };

const { version } = packageJson;

/** The reference of the published image. */
export const publishedImage = `quay.io/hubrelay/hubrelay:${version}`;

/** The file names of a release. Each artefact's list of components has the artefact's name plus `.cdx.json`. */
export const artefacts = {
  npmPackage: `hubrelay-${version}.tgz`,
  image: `hubrelay-image-${version}.tar`,
  imageFor: (architecture: string) => `hubrelay-image-${version}-${architecture}`,
  chart: `hubrelay-chart-${version}.tgz`,
  functionArchive: (name: string) => `hubrelay-lambda-${name}-${version}.zip`,
  /** The payload that the image's signature signs: it contains the digest by which registries know the image. */
  imagePayload: `hubrelay-image-${version}.payload.json`,
  provenance: `hubrelay-${version}.intoto.jsonl`,
  checksums: "SHA256SUMS",
  publicKey: "hubrelay.pub",
} as const;

/** Returns the file name of an artefact's list of components. */
export const sbomOf = (artefact: string): string => `${artefact}.cdx.json`;
/** Returns the file name of a file's signature. */
export const signatureOf = (file: string): string => `${file}.sig`;

/** Returns the SHA-256 digests of the files in a folder, in hexadecimal digits, by name. */
export async function digestsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).sort(byCodeUnit);
  const digests = names.map(async (name) => {
    const content = await readFile(join(folder, name));
    return [name, hash("sha256", content)] as const;
  });
  return new Map(await Promise.all(digests));
}
