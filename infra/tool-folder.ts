import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { paths } from "./paths.ts";
import { succeeded } from "./run-program.ts";

/** The folder gets its path only when it is complete, so that several processes may install a tool at once. */
async function installedOnce(
  name: string,
  locked: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const tools = join(paths.machineCache, "tools");
  const version = hash("sha256", await readFile(locked)).slice(0, 12);
  const path = join(tools, `${name}-${version}`);
  if (existsSync(path)) return path;
  await mkdir(tools, { recursive: true });
  // A Python environment contains its own path and cannot be renamed, so the final path is a link to it.
  const folder = await mkdtemp(`${path}.`);
  try {
    await install(folder);
    await symlink(folder, path);
  } catch (error) {
    await rm(folder, { recursive: true });
    // If another process has installed the tool meanwhile, the error does not matter.
    if (!existsSync(path)) throw error;
  }
  return path;
}

/** Installs a tool of `tools/NAME`, unless it is installed for the present lockfile. Returns the tool's folder. */
export function installedTool(name: string, log: (line: string) => void): Promise<string> {
  const described = join(paths.tools, name);
  return installedOnce(name, join(described, "package-lock.json"), async (folder) => {
    log(`installing tools/${name}, once`);
    for (const file of ["package.json", "package-lock.json", ".npmrc"])
      await copyFile(join(described, file), join(folder, file));
    await succeeded("npm", ["ci"], { cwd: folder, env: npmEnvironment() });
  });
}

/** Installs a tool's `requirements.txt` into a Python environment. Returns the environment's `bin` folder. */
export async function installedPythonTool(name: string, log: (line: string) => void): Promise<string> {
  const requirements = join(paths.tools, name, "requirements.txt");
  const folder = await installedOnce(name, requirements, async (environment) => {
    log(`installing tools/${name}, once`);
    await succeeded("python3", ["-m", "venv", "--clear", environment], { cwd: paths.root });
    const pip = ["install", "--quiet", "--disable-pip-version-check", "--requirement", requirements];
    await succeeded(join(environment, "bin/pip"), pip, { cwd: paths.root });
  });
  return join(folder, "bin");
}

/** Adds the path of the installed Node's headers. Else node-gyp downloads headers, which a closed network blocks. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const given = process.env.npm_config_nodedir;
  // The headers of any version will do, since N-API is the same in all of them.
  const nodedir = given ?? nodePrefixes().find((path) => existsSync(join(path, "include/node/node_api.h")));
  return { ...process.env, ...(nodedir ? { npm_config_nodedir: nodedir } : {}) };
}

function nodePrefixes(): readonly string[] {
  const onPath = (process.env.PATH ?? "").split(":").filter((folder) => existsSync(join(folder, "node")));
  return [...onPath.map(dirname), "/usr", "/usr/local"];
}
