import { hash } from "node:crypto";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";

/** A blob that a manifest lists as a layer. */
export type Layer = Readonly<{
  mediaType: string;
  content: Buffer;
  annotations?: Readonly<Record<string, string>>;
}>;

/** Returns `sha256:` and the hexadecimal digest, as registries name content. */
export function digestOf(content: Buffer): string {
  return `sha256:${hash("sha256", content)}`;
}

/**
 * Writes an OCI image layout with one image, whose manifest is tagged `image` in it, and returns the digest of the
 * manifest. Source: OCI image-spec 1.0.
 */
export async function writeOciLayout(
  folder: string,
  config: Readonly<Record<string, unknown>>,
  layers: readonly Layer[],
): Promise<string> {
  const blobs = join(folder, "blobs", "sha256");
  await mkdir(blobs, { recursive: true });
  const put = async (mediaType: string, content: Buffer) => {
    const digest = digestOf(content);
    await writeFile(join(blobs, digest.slice("sha256:".length)), content);
    return { mediaType, digest, size: content.length };
  };
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));

  const manifest = await put(
    manifestType,
    json({
      schemaVersion: 2,
      mediaType: manifestType,
      config: await put(configType, json(config)),
      layers: await Promise.all(
        layers.map(async ({ mediaType, content, annotations }) => ({
          ...(await put(mediaType, content)),
          ...(annotations ? { annotations } : {}),
        })),
      ),
    }),
  );
  const tagged = { ...manifest, annotations: { "org.opencontainers.image.ref.name": "image" } };
  await writeFile(join(folder, "index.json"), json({ schemaVersion: 2, manifests: [tagged] }));
  await writeFile(join(folder, "oci-layout"), json({ imageLayoutVersion: "1.0.0" }));
  return manifest.digest;
}

/** Makes the image of a layout the only one of a list, for a platform of its own; returns the digest of the list. */
export async function listInLayout(folder: string, digest: string, architecture: string): Promise<string> {
  const { size } = await stat(join(folder, "blobs", digest.replace(":", "/")));
  const one = { mediaType: manifestType, digest, size, platform: { architecture, os: "linux" } };
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const content = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests: [one] }));
  const list = digestOf(content);
  await writeFile(join(folder, "blobs", list.replace(":", "/")), content);
  const annotations = { "org.opencontainers.image.ref.name": "image" };
  const manifests = [{ mediaType, digest: list, size: content.length, annotations }];
  await writeFile(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests }));
  return list;
}
