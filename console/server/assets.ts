import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { AssetPaths } from "../pages/layout.ts";

/** A file that pages load. Its address contains a digest of its content, so that a browser can cache it for ever. */
export type Asset = Readonly<{
  type: string;
  content: Uint8Array<ArrayBuffer>;
  gzipped?: Uint8Array<ArrayBuffer>;
}>;
export type Assets = Readonly<{ paths: AssetPaths; byPath: ReadonlyMap<string, Asset> }>;

const files = {
  style: { name: "console.css", type: "text/css; charset=utf-8" },
  script: { name: "console.js", type: "text/javascript; charset=utf-8" },
  theme: { name: "theme.js", type: "text/javascript; charset=utf-8" },
} as const;

/** The folder of built files in the npm package and the image. A checkout has no such folder: it builds the files. */
const packaged = fileURLToPath(new URL("./console/", import.meta.url));

async function readAssets(): Promise<ReadonlyMap<string, Uint8Array>> {
  if (!existsSync(packaged)) return (await (await import("./build-assets.ts")).buildAssets()).files;
  const names = Object.values(files).map(({ name }) => name);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(`${packaged}${name}`)] as const)),
  );
}

/** Returns the files that pages load. */
export async function loadAssets(): Promise<Assets> {
  const contents = await readAssets();
  const byPath = new Map<string, Asset>();
  const pathOf = ({ name, type }: (typeof files)[keyof typeof files]): string => {
    const content = new Uint8Array(contents.get(name) ?? []);
    const path = `/assets/${hash("sha256", content).slice(0, 16)}-${name}`;
    byPath.set(path, { type, content, gzipped: new Uint8Array(gzipSync(content, { level: 9 })) });
    return path;
  };
  const paths = { style: pathOf(files.style), script: pathOf(files.script), theme: pathOf(files.theme) };
  return { paths, byPath };
}
