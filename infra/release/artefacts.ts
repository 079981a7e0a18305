import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import packageJson from "../../package.json" with { type: "json" };

const { version } = packageJson;

/** Where the image is published. */
export const publishedImage = `quay.io/hubrelay/hubrelay:${version}`;

/** The names of a release's files. The list of components of each artefact has its name and `.cdx.json`. */
export const artefacts = {
  npmPackage: `hubrelay-${version}.tgz`,
  image: `hubrelay-image-${version}.tar`,
  imageFor: (architecture: string) => `hubrelay-image-${version}-${architecture}`,
  /** The Helm chart. */
  chart: `hubrelay-chart-${version}.tgz`,
  functionArchive: (name: string) => `hubrelay-lambda-${name}-${version}.zip`,
  /** What is signed to sign the image: it names the digest that registries know it by. */
  imagePayload: `hubrelay-image-${version}.payload.json`,
  provenance: `hubrelay-${version}.intoto.jsonl`,
  checksums: "SHA256SUMS",
  publicKey: "hubrelay.pub",
} as const;

/** The name of the file with the components of an artefact. */
export const sbomOf = (artefact: string): string => `${artefact}.cdx.json`;
/** The name of the file with the signature of another. */
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
