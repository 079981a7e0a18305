import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { digestOf, writeOciLayout } from "./oci-layout.ts";

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
export async function buildImage(
  folder: string,
  layers: readonly (readonly ImageFile[])[],
  labels: Readonly<Record<string, string>> = {},
): Promise<Image> {
  const archives = await Promise.all(layers.map(tarOf));
  const config = {
    architecture: "amd64",
    os: "linux",
    config: Object.keys(labels).length > 0 ? { Labels: labels } : {},
    rootfs: { type: "layers", diff_ids: archives.map(digestOf) },
  };
  const zipped = archives.map((archive) => ({
    mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
    content: gzipSync(archive),
  }));
  return { layout: folder, digest: await writeOciLayout(folder, config, zipped) };
}
