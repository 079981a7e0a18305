import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { createTarDecoder } from "modern-tar";
import { type ImageLayer, RegistryError } from "../../ports/registry.ts";
import { isNetworkError } from "../network/network-errors.ts";
import { hashFor, tooLong } from "./body.ts";
import type { RegistryResponse } from "./exchange.ts";
import { networkError } from "./registry-errors.ts";

const maxFileBytes = 32 * 1024 * 1024;
/** The unpacked size of one layer: content may grow a thousandfold. */
const maxLayerBytes = 4 * 1024 * 1024 * 1024;

/** What a layer contains for some paths: their contents, and those that it removes from the layers below. */
export type LayerFiles = Readonly<{ found: ReadonlyMap<string, string>; removed: ReadonlySet<string> }>;

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
          "InvalidResponse",
          `${what}: the content does not match ${digest.slice(0, 100)}`,
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

function limited(limit: number, what: string): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > limit ? tooLong(what, limit) : null, chunk);
    },
  });
}

/** Turns `./a/b` and `/a/b` into `a/b`. */
function normalPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "");
}

/** Returns the file or folder that a whiteout entry (OCI image-spec, layer.md) removes. */
function whiteoutOf(path: string): string | undefined {
  const [, folder = "", name] = /^(.*\/)?\.wh\.([^/]+)$/.exec(path) ?? [];
  if (name === ".wh..opq") return folder.replace(/\/$/, "");
  return name === undefined ? undefined : `${folder}${name}`;
}

async function textOf(body: ReadableStream<Uint8Array>, size: number, what: string): Promise<string> {
  if (size > maxFileBytes) throw tooLong(what, maxFileBytes);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads these files from one layer as a stream; throws `RegistryError` unless the layer matches its digest. */
export async function readLayerFiles(
  response: RegistryResponse,
  layer: ImageLayer,
  paths: ReadonlySet<string>,
  what: string,
): Promise<LayerFiles> {
  const found = new Map<string, string>();
  const removed = new Set<string>();
  const measured = meter(layer.digest, what);
  const archive = limited(maxLayerBytes, what);
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
    await Promise.all([pipeline(response.body, measured.through, unpacked(layer), archive), reading()]);
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    if (!isNetworkError(error))
      throw new RegistryError("InvalidResponse", `${what}: the layer cannot be unpacked`);
    throw networkError(error, what);
  }
  measured.check();
  return { found, removed };
}
