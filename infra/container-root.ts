import { chmod, cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { moduleOptions } from "./bundle.ts";
import { succeeded } from "./command.ts";
import { paths } from "./paths.ts";

const node = join(paths.root, "node_modules/node/bin/node");

/** Returns the libraries that a program is linked with on this machine, and their loader. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await succeeded("ldd", [program], { cwd: paths.root });
  return stdout.split("\n").flatMap((line) => {
    const [, path] = /(?:=>|^)\s+(\/\S+) \(0x/.exec(line) ?? [];
    return path ? [path] : [];
  });
}

/** Bundles the command; each subcommand is a separate file, loaded only when it is called. */
async function bundleCommand(folder: string): Promise<void> {
  await build({
    ...moduleOptions,
    entryPoints: { hubrelay: "cli/main.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
  });
}

/** The cluster chooses the user of the process. */
async function readableByAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await readableByAll(path);
    else await chmod(path, /\.(?:mjs|yaml)$/.test(path) ? 0o644 : 0o755);
  }
}

/**
 * Creates the file tree of the container image: Node 24, its libraries, the bundled command, and the roles that
 * `hubrelay doctor` reads, at their path relative to the command.
 */
export async function makeContainerRoot(root: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
  const program = join(root, "usr/bin/node");
  for (const path of [program, join(root, "opt/hubrelay/hubrelay.mjs")])
    await mkdir(dirname(path), { recursive: true });
  await cp(node, program, { dereference: true });
  await succeeded("strip", ["--strip-all", program], { cwd: paths.root });
  for (const library of await librariesOf(node)) {
    await mkdir(dirname(join(root, library)), { recursive: true });
    await cp(library, join(root, library), { dereference: true });
  }
  await bundleCommand(join(root, "opt/hubrelay"));
  await cp(join(paths.root, "infra/hub-rbac"), join(root, "infra/hub-rbac"), {
    recursive: true,
    filter: (path) => !path.endsWith(".ts"),
  });
  await readableByAll(root);
}
