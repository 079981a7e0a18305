import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { paths } from "./paths.ts";
import { succeeded } from "./run-program.ts";

/**
 * Does work that a file describes once, and again only after the file has changed: `stamp` has the hash of its content. A
 * failure leaves no stamp, so the next call retries.
 */
async function oncePerContent(described: string, stamp: string, work: () => Promise<unknown>): Promise<void> {
  const wanted = hash("sha256", await readFile(described));
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === wanted) return;
  await work();
  await writeFile(stamp, wanted);
}

/**
 * Installs a tool of `tools/NAME` on first use, and again after its lockfile has changed; each tool (`osls`, AWS's
 * runtime client) has its own. Returns the folder. Throws with npm's message if the installation fails.
 */
export async function installedTool(name: string, log: (line: string) => void): Promise<string> {
  const folder = join(paths.tools, name);
  const stamp = join(folder, "node_modules", ".hubrelay-installed");
  await oncePerContent(join(folder, "package-lock.json"), stamp, () => {
    log(`installing tools/${name}, once`);
    return succeeded("npm", ["ci"], { cwd: folder, env: npmEnvironment() });
  });
  return folder;
}

/** Installs the `requirements.txt` of a tool from PyPI to a virtual environment; returns its `bin` folder. */
export async function installedPythonTool(name: string, log: (line: string) => void): Promise<string> {
  const requirements = join(paths.tools, name, "requirements.txt");
  const folder = join(paths.cache, name);
  await oncePerContent(requirements, join(folder, ".hubrelay-installed"), async () => {
    log(`installing tools/${name}, once`);
    await succeeded("python3", ["-m", "venv", "--clear", folder], { cwd: paths.root });
    const pip = ["install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
    await succeeded(join(folder, "bin/pip"), pip, { cwd: paths.root });
  });
  return join(folder, "bin");
}

/**
 * Compiles native addons against the headers of an installed Node; otherwise node-gyp downloads them, which a closed
 * network blocks. N-API is the same in every version.
 */
function npmEnvironment(): NodeJS.ProcessEnv {
  const given = process.env.npm_config_nodedir;
  const nodedir = given ?? nodePrefixes().find((path) => existsSync(join(path, "include/node/node_api.h")));
  return { ...process.env, ...(nodedir ? { npm_config_nodedir: nodedir } : {}) };
}

function nodePrefixes(): readonly string[] {
  const onPath = (process.env.PATH ?? "").split(":").filter((folder) => existsSync(join(folder, "node")));
  return [...onPath.map(dirname), "/usr", "/usr/local"];
}
