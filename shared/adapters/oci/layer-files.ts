import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { createTarDecoder } from "modern-tar";
import { type ImageLayer, RegistryError } from "../../ports/registry.ts";
import { isNetworkTrouble } from "../network/network-trouble.ts";
import { hashFor, tooLong } from "./body.ts";
import type { RegistryAnswer } from "./exchange.ts";
import { networkError } from "./trouble.ts";

const longestFile = 32 * 1024 * 1024;
/** Of one layer, unpacked: what is packed may grow a thousandfold. */
const longestLayer = 4 * 1024 * 1024 * 1024;

/** What a layer says about some paths: their contents, and those that it takes away from the layers below. */
export type LayerFiles = Readonly<{ found: ReadonlyMap<string, string>; removed: ReadonlySet<string> }>;

/** Lets bytes through and counts and hashes them. */
function meter(digest: string, what: string) {
  const hash = hashFor(digest);
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash?.update(chunk);
      done(null, chunk);
    },
  });
  return {
    through,
    check() {
      if (!hash || digest !== `${digest.slice(0, digest.indexOf(":"))}:${hash.digest("hex")}`)
        throw new RegistryError(
          "InvalidAnswer",
          `${what}: the content is not that of ${digest.slice(0, 100)}`,
        );
    },
  };
}

function unpacked({ mediaType }: ImageLayer): Transform {
  if (mediaType.endsWith("zstd")) return createZstdDecompress();
  return mediaType.endsWith("gzip") ? createGunzip() : new Transform({ transform: pass });
}

function pass(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
  done(null, chunk);
}

function limited(most: number, what: string): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > most ? tooLong(what, most) : null, chunk);
    },
  });
}

/** `./a/b` and `/a/b` as `a/b`. */
function normalPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "");
}

/** The file or folder that a whiteout entry (OCI image-spec, layer.md) takes away. */
function whiteoutOf(path: string): string | undefined {
  const [, folder = "", name] = /^(.*\/)?\.wh\.([^/]+)$/.exec(path) ?? [];
  if (name === ".wh..opq") return folder.replace(/\/$/, "");
  return name === undefined ? undefined : `${folder}${name}`;
}

async function textOf(body: ReadableStream<Uint8Array>, size: number, what: string): Promise<string> {
  if (size > longestFile) throw tooLong(what, longestFile);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads these files out of one layer while it comes; throws `RegistryError` unless the layer is what its digest says. */
export async function readLayerFiles(
  answer: RegistryAnswer,
  layer: ImageLayer,
  paths: ReadonlySet<string>,
  what: string,
): Promise<LayerFiles> {
  const found = new Map<string, string>();
  const removed = new Set<string>();
  const measured = meter(layer.digest, what);
  const archive = limited(longestLayer, what);
  const reading = async (): Promise<void> => {
    const entries = Readable.toWeb(archive).pipeThrough(createTarDecoder());
    for await (const { header, body } of entries) {
      const path = normalPath(header.name);
      const gone = whiteoutOf(path);
      for (const one of paths)
        if (gone !== undefined && (one === gone || one.startsWith(`${gone}/`) || gone === ""))
          removed.add(one);
      if (header.type === "file" && paths.has(path)) found.set(path, await textOf(body, header.size, what));
      else await body.cancel();
    }
  };
  try {
    await Promise.all([pipeline(answer.body, measured.through, unpacked(layer), archive), reading()]);
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    if (!isNetworkTrouble(error))
      throw new RegistryError("InvalidAnswer", `${what}: the layer cannot be unpacked`);
    throw networkError(error, what);
  }
  measured.check();
  return { found, removed };
}
