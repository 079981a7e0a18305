import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { chartFiles } from "../chart/chart-files.ts";

/** The time of every file in the archive. It is fixed, so that equal charts give equal bytes. */
const mtime = new Date(0);

/** Returns the chart as an archive for `helm install`. */
export async function chartArchive(): Promise<Buffer> {
  const entries = Object.entries(chartFiles())
    .toSorted(([a], [b]) => byCodeUnit(a, b))
    .map(([path, text]) => {
      const body = Buffer.from(text);
      return { header: { name: `hubrelay/${path}`, size: body.byteLength, mode: 0o644, mtime }, body };
    });
  return gzipSync(await packTar(entries));
}
