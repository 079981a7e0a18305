import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { paths } from "../../../infra/paths.ts";
import { succeeded } from "../../../infra/run-program.ts";
import { digestOf, writeOciLayout } from "../../images/support/registries/image.ts";

async function writeImage(folder: string, layer: Buffer, config: Readonly<Record<string, unknown>>) {
  const rootfs = { type: "layers", diff_ids: [digestOf(layer)] };
  const layers = [{ mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", content: gzipSync(layer) }];
  return writeOciLayout(folder, { architecture: "amd64", os: "linux", config, rootfs }, layers);
}

/** Returns the files of an image that has a shell and the usual small programs. */
export async function busybox() {
  const content = await readFile("/bin/busybox");
  return { path: "bin/busybox", content, isProgram: true } as const;
}

/** Writes the images that the node has from the beginning, as OCI layouts below the folder. */
export async function writeNodeImages(folder: string): Promise<void> {
  const { path, content } = await busybox();
  const header = { name: path, size: content.length, type: "file" as const, mode: 0o755, mtime: new Date(0) };
  const pause = Buffer.from(await packTar([{ header, body: content }]));
  await writeImage(join(folder, "pause"), pause, { Cmd: ["/bin/busybox", "sleep", "infinity"] });
  const archive = join(folder, "workload.tar");
  const script = join(import.meta.dirname, "workload-root.sh");
  await succeeded(script, [archive, join(paths.root, "infra/precache-workload")], { cwd: folder });
  await writeImage(join(folder, "workload"), await readFile(archive), {
    Env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
    Entrypoint: ["/opt/precache/precache.sh"],
  });
}
