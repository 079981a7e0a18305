import { execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { paths } from "../../infra/paths.ts";

const run = promisify(execFile);
const cacheFolder = join(paths.machineCache, "peers");

/**
 * `main` is a package of `module` or of a module that it requires. `versions` is the file with the versions of
 * libraries, by default `go.mod`; `release-4.18.mod` has those of machine-config-operator up to release-4.18.
 */
const programs: Readonly<
  Record<
    "render" | "render418" | "runtime" | "ignition" | "hosted" | "plans" | "cron" | "crane" | "regctl",
    Readonly<{ module: string; main: string; versions?: string }>
  >
> = {
  render: { module: "mirror-configs", main: "." },
  render418: { module: "mirror-configs", main: ".", versions: "release-4.18.mod" },
  ignition: { module: "ignition", main: "." },
  runtime: { module: "mirror-configs", main: "./runtime" },
  hosted: { module: "hosted-clusters", main: "." },
  plans: { module: "precache-plans", main: "." },
  cron: { module: "cron-schedules", main: "." },
  crane: { module: "registry-clients", main: "github.com/google/go-containerregistry/cmd/crane" },
  regctl: { module: "registry-clients", main: "github.com/regclient/regclient/cmd/regctl" },
};
export type GoProgram = keyof typeof programs;

/** Returns the reason why the Go programs cannot be used on this machine; undefined if they can be used. */
export function whyNoGo(): string | undefined {
  return spawnSync("go", ["version"]).status === 0 ? undefined : "Go is not on the PATH";
}

/** Returns the path of a Go program. Builds the program first if necessary, which may take two minutes. */
export async function goProgram(name: GoProgram): Promise<string> {
  const { module, main, versions = "go.mod" } = programs[name];
  const folder = join(import.meta.dirname, module);
  const binary = join(cacheFolder, `${name}-${await fingerprint(folder)}`);
  if (await exists(binary)) return binary;
  await mkdir(cacheFolder, { recursive: true });
  // The binary is renamed after the build, so that concurrent builds never run a partial file.
  const unfinished = `${binary}.${process.pid}`;
  const flags = [
    "-trimpath",
    "-mod=readonly",
    `-modfile=${versions}`,
    "-tags=containers_image_openpgp",
    "-ldflags=-s -w",
  ];
  const build = run("go", ["build", ...flags, "-o", unfinished, main], {
    cwd: folder,
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  if (build.child.pid) setPriority(build.child.pid, 10);
  await build;
  await rename(unfinished, binary);
  return binary;
}

async function fingerprint(folder: string): Promise<string> {
  const hash = createHash("sha256").update((await run("go", ["version"])).stdout);
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    if (!/\.(go|mod|sum)$/.test(file)) continue;
    hash.update(file).update(await readFile(join(folder, file)));
  }
  return hash.digest("hex").slice(0, 16);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** A running Go program. `ask` sends a request and returns the reply. Disposal ends the program. */
export type Oracle = AsyncDisposable & Readonly<{ ask(request: unknown): Promise<unknown> }>;

/** Starts a Go program that reads requests as lines of JSON and writes one reply for each, in the same order. */
export async function startOracle(name: GoProgram, args: readonly string[] = []): Promise<Oracle> {
  const child = spawn(await goProgram(name), args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const responses = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await responses.next();
      if (done) throw new Error(`the Go program "${name}" ended without a response`);
      return JSON.parse(value);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
