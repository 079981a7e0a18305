import { hash } from "node:crypto";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";

/** An image in a folder, ready to be pushed. */
export type Image = Readonly<{
  /** Path of an OCI image layout with one image, tagged `image`. */
  layout: string;
  /** The digest of the manifest, as in a reference by digest. */
  digest: string;
}>;

/** A file of an image, optionally executable. */
export type ImageFile = Readonly<{ path: string; content: string | Buffer; isProgram?: true }>;

/** Creates a tar archive of these files; the same content gives the same bytes. */
async function tarOf(files: readonly ImageFile[]): Promise<Buffer> {
  const entries = files.map(({ path, content, isProgram }) => ({
    header: {
      name: path,
      size: Buffer.byteLength(content),
      type: "file" as const,
      mode: isProgram ? 0o755 : 0o644,
      mtime: new Date(0),
    },
    body: content,
  }));
  return Buffer.from(await packTar(entries));
}

/** Builds an image from scratch with a layer for each list of files; the same content gives the same digest. */
export async function buildImage(folder: string, layers: readonly (readonly ImageFile[])[]): Promise<Image> {
  const archives = await Promise.all(layers.map(tarOf));
  const config = {
    architecture: "amd64",
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: archives.map(digestOf) },
  };
  const zipped = archives.map((archive) => ({
    mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
    content: gzipSync(archive),
  }));
  return { layout: folder, digest: await writeOciLayout(folder, config, zipped) };
}

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
