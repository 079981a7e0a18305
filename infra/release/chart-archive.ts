import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { byCodeUnit } from "#shared/domain/json/values.ts";
import { paths } from "../paths.ts";

const folder = join(paths.root, "infra/helm/hubrelay");
/** A fixed time, so that equal charts give equal bytes. */
const mtime = new Date(0);

/** Returns the chart as the archive that `helm install` takes: its files below its name, sorted. */
export async function chartArchive(): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const names = files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort(byCodeUnit);
  const packed = names.map(async (name) => {
    const body = await readFile(join(folder, name));
    return { header: { name: `hubrelay/${name}`, size: body.byteLength, mode: 0o644, mtime }, body };
  });
  return gzipSync(await packTar(await Promise.all(packed)));
}
