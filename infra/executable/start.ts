/*
 * What runs first in the single executable. The modules of the command stay inside of the program. The other files of the
 * package are written once for each version, because kubectl and the hub of `dev` need files: to a folder of the user.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { enableCompileCache, registerHooks } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { getAsset, getAssetKeys, getRawAsset } from "node:sea";
import { pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hubrelay");
const root = join(cache, getAsset("digest", "utf8"));
const isModule = (path: string) =>
  path.startsWith("dist/") && path.endsWith(".js") && !path.includes("/console/");
const urlOf = (path: string) => pathToFileURL(join(root, path)).href;
const modules = new Map(
  getAssetKeys()
    .filter(isModule)
    .map((path) => [urlOf(path), path]),
);

/** Writes the files under another name first: several processes may start at once, and one may be killed. */
function unpack(): void {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(cache, "unpacking-"));
  for (const path of getAssetKeys().filter((key) => key !== "digest" && !isModule(key))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), new Uint8Array(getRawAsset(path)));
  }
  try {
    renameSync(folder, root);
  } catch (error) {
    rmSync(folder, { recursive: true });
    if (!existsSync(root)) throw error;
  }
}

try {
  if (!existsSync(root)) unpack();
  enableCompileCache(join(cache, "compiled"));
} catch {
  // Without a folder that it may write to, only `dev`, `console` and parts of `doctor` have no files.
}

registerHooks({
  resolve(specifier, context, next) {
    const { href: url } = specifier.startsWith(".")
      ? new URL(specifier, context.parentURL)
      : { href: specifier };
    return modules.has(url) ? { url, format: "module", shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    const path = modules.get(url);
    return path === undefined
      ? next(url, context)
      : { format: "module", source: getAsset(path, "utf8"), shortCircuit: true };
  },
});

// The `import()` of the first script itself finds only modules of Node.
const load = new Script("(url) => import(url)", {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext();
load(urlOf("dist/executable/main.js"));
