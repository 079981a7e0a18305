import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { createTarDecoder } from "modern-tar";
import { type ImageLayer, RegistryError } from "../../ports/registry.ts";
import { isNetworkError } from "../network/network-errors.ts";
import { hashFor, networkError, tooLong } from "./body.ts";
import type { RegistryResponse } from "./exchange.ts";

/** Maximum unpacked size of a layer in bytes. Compressed content may grow a thousandfold. */
const maxLayerBytes = 4 * 1024 * 1024 * 1024;

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

/** Returns `a/b` for `./a/b` and `/a/b`. */
function normalPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "");
}

/** Returns the file or folder that a whiteout entry removes. Source: OCI image-spec, layer.md. */
function whiteoutOf(path: string): string | undefined {
  const [, folder = "", name] = /^(.*\/)?\.wh\.([^/]+)$/.exec(path) ?? [];
  if (name === ".wh..opq") return folder.replace(/\/$/, "");
  return name === undefined ? undefined : `${folder}${name}`;
}

async function textOf(
  body: ReadableStream<Uint8Array>,
  size: number,
  limit: number,
  what: string,
): Promise<string> {
  if (size > limit) throw tooLong(what, limit);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

type LayerEntry = Readonly<{
  path: string;
  type: string | undefined;
  /** The path that a whiteout removes from lower layers, empty for the root. Undefined for any other entry. */
  gone: string | undefined;
  text: () => Promise<string>;
}>;

/** Calls `visit` for every entry of a layer. Then throws `RegistryError` if the layer does not match its digest. */
async function readLayer(
  response: RegistryResponse,
  layer: ImageLayer,
  { what, limit }: Readonly<{ what: string; limit: number }>,
  visit: (entry: LayerEntry) => Promise<void>,
): Promise<void> {
  const measured = meter(layer.digest, what);
  const archive = limited(maxLayerBytes, what);
  const reading = async (): Promise<void> => {
    const entries = Readable.toWeb(archive).pipeThrough(createTarDecoder());
    for await (const { header, body } of entries) {
      let isRead = false;
      const path = normalPath(header.name);
      await visit({
        path,
        type: header.type,
        gone: whiteoutOf(path),
        text: () => {
          isRead = true;
          return textOf(body, header.size, limit, what);
        },
      });
      if (!isRead) await body.cancel();
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
}

const isBelow = (path: string, folder: string): boolean => folder === "" || path.startsWith(`${folder}/`);

/** Paths that upper layers hide in lower layers. A path in `trees` also hides everything below it. */
export type HiddenPaths = Readonly<{ paths: Set<string>; trees: Set<string> }>;

/** Reports whether a higher layer has replaced or removed a path. */
export function isHidden(path: string, { paths, trees }: HiddenPaths): boolean {
  return paths.has(path) || trees.has(path) || [...trees].some((tree) => isBelow(path, tree));
}

/**
 * Calls `visit` for every file of a layer at or below one of `paths`, unless `hidden` has the file. Then adds the paths
 * that this layer hides to `hidden`. Throws `RegistryError` if the layer does not match its digest.
 */
export async function visitLayer(
  response: RegistryResponse,
  layer: ImageLayer,
  {
    paths,
    hidden,
    what,
    maxBytes,
  }: Readonly<{ paths: readonly string[]; hidden: HiddenPaths; what: string; maxBytes: number }>,
  visit: (path: string, text: string) => void,
): Promise<void> {
  const own: HiddenPaths = { paths: new Set(), trees: new Set() };
  const isWanted = (path: string) => paths.some((one) => path === one || isBelow(path, one));
  const matters = (path: string) => isWanted(path) || paths.some((one) => isBelow(one, path));
  await readLayer(response, layer, { what, limit: maxBytes }, async ({ path, type, gone, text }) => {
    if (gone !== undefined) {
      if (matters(gone)) own.trees.add(gone);
    } else if (type === "file" && isWanted(path)) {
      own.paths.add(path);
      if (!isHidden(path, hidden)) visit(path, await text());
    } else if (type !== "directory" && matters(path)) own.trees.add(path);
  });
  for (const path of own.paths) hidden.paths.add(path);
  for (const tree of own.trees) hidden.trees.add(tree);
}
