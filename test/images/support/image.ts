import { gzipSync } from "node:zlib";
import { digestOf, writeOciLayout } from "./oci-layout.ts";

/** An image in a folder, ready to be pushed. */
export type Image = Readonly<{
  /** An OCI image layout with one image, tagged `image`. */
  layout: string;
  /** Of the manifest: what a reference by digest ends in. */
  digest: string;
}>;

const blockSize = 512;

/** A tar archive of one file (the ustar format of POSIX.1-1988), the same bytes for the same content. */
function tarOf(path: string, content: Buffer): Buffer {
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(path, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(content.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write("        0", 148); // the checksum counts as spaces while it is summed; 0: a regular file
  header.write("ustar\u000000", 257);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    ).concat("\u0000 "),
    148,
  );
  const padding = Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * blockSize)]);
}

/** Builds an image from scratch that holds one file with this text; other text, other digest. */
export async function buildImage(folder: string, text: string): Promise<Image> {
  const archive = tarOf("text", Buffer.from(text));
  const config = {
    architecture: "amd64",
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: [digestOf(archive)] },
  };
  const layer = { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", content: gzipSync(archive) };
  return { layout: folder, digest: await writeOciLayout(folder, config, [layer]) };
}
