import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Removes the fonts and pictures of PatternFly, which the pages do not use. */
const withoutFonts: Plugin = {
  name: "without-fonts",
  setup({ onLoad }) {
    onLoad({ filter: /patternfly-base\.css$/ }, async ({ path }) => {
      const { readFile } = await import("node:fs/promises");
      const text = await readFile(path, "utf8");
      return {
        loader: "css",
        contents: text.replace(/@font-face\s*\{[^{}]*\}/g, "").replace(/url\("?\.\/assets\/[^)]*\)/g, "none"),
      };
    });
  },
};

/** Builds the files for the browser. Keys of `files` are names, such as `console.css`. */
export async function buildAssets(): Promise<
  Readonly<{ files: ReadonlyMap<string, Uint8Array>; metafile: Metafile }>
> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["console", "theme"]
      .flatMap((name) => `console/client/${name}.ts`)
      .concat("console/client/console.css"),
    outdir: join(root, "dist/console"),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["es2022"],
    legalComments: "none",
    logLevel: "warning",
    plugins: [withoutFonts],
    write: false,
    metafile: true,
  });
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  return { files: new Map(outputFiles.map(({ path, contents }) => [nameOf(path), contents])), metafile };
}
