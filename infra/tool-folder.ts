import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { succeeded } from "./command.ts";
import { paths } from "./paths.ts";

/**
 * Tools that most people never need (`osls`, AWS's runtime client) live in `tools/NAME`, each with a lockfile
 * of its own, and are installed when they are first used. Answers the folder; installs again after the
 * lockfile changed. Throws with npm's own words when the install fails.
 */
export async function installedTool(name: string, tell: (line: string) => void): Promise<string> {
  const folder = join(paths.tools, name);
  const lockfile = await readFile(join(folder, "package-lock.json"));
  const wanted = createHash("sha256").update(lockfile).digest("hex");
  const stamp = join(folder, "node_modules", ".hubrelay-installed");
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === wanted) return folder;
  tell(`installing tools/${name}, once`);
  await succeeded("npm", ["ci"], { cwd: folder, env: npmEnvironment() });
  await writeFile(stamp, wanted);
  return folder;
}

/**
 * Native addons are compiled against the headers of a Node that is installed on the machine; without this
 * node-gyp downloads them, which a closed network refuses. N-API is the same in every version.
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
