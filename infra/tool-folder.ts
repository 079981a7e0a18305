import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { succeeded } from "./command.ts";
import { paths } from "./paths.ts";
import { oncePerContent } from "./stamp.ts";

/**
 * Tools that most people never need (`osls`, AWS's runtime client) live in `tools/NAME`, each with a lockfile
 * of its own, and are installed when they are first used. Answers the folder; installs again after the
 * lockfile changed. Throws with npm's own words when the install fails.
 */
export async function installedTool(name: string, tell: (line: string) => void): Promise<string> {
  const folder = join(paths.tools, name);
  const stamp = join(folder, "node_modules", ".hubrelay-installed");
  await oncePerContent(join(folder, "package-lock.json"), stamp, () => {
    tell(`installing tools/${name}, once`);
    return succeeded("npm", ["ci"], { cwd: folder, env: npmEnvironment() });
  });
  return folder;
}

/** As `installedTool`, for a program from PyPI: its `requirements.txt` into a virtual environment; answers its `bin`. */
export async function installedPythonTool(name: string, tell: (line: string) => void): Promise<string> {
  const requirements = join(paths.tools, name, "requirements.txt");
  const folder = join(paths.cache, name);
  await oncePerContent(requirements, join(folder, ".hubrelay-installed"), async () => {
    tell(`installing tools/${name}, once`);
    await succeeded("python3", ["-m", "venv", "--clear", folder], { cwd: paths.root });
    const pip = ["install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
    await succeeded(join(folder, "bin/pip"), pip, { cwd: paths.root });
  });
  return join(folder, "bin");
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
