import { join } from "node:path";
import { cached, type Log } from "./cache.ts";
import { go, goBuild } from "./go.ts";

/** A program that `test/cluster/servers/NAME` names, in the version of its go.mod. */
export type GoProgram = Readonly<{
  /** Name of the folder, and of the file that is built. */
  name: string;
  /** The import path of its main package. */
  program: string;
  /** The module of the package: its version is the program's. */
  module: string;
  linkerFlags?(version: string): string;
  /** Build constraints. */
  tags?: readonly string[];
  /** Whether a part of it is C, and has to be compiled with it. */
  usesC?: boolean;
}>;

/** The folder of the go.mod for a program or a set of CRDs. */
export const serverFolder = (name: string) => join(import.meta.dirname, "../../servers", name);

/**
 * Returns the path of a program, built from its Go module when it is not cached: some minutes on two cores for a large
 * one, and gigabytes in Go's own caches.
 */
export async function goProgram(
  { name, program, module, linkerFlags = () => "", tags = [], usesC = false }: GoProgram,
  log: Log,
): Promise<string> {
  const folder = serverFolder(name);
  const toolchain = (await go(folder, ["env", "GOVERSION", "GOARCH"])).trim();
  const files = ["go.mod", "go.sum", "tools.go"].map((file) => join(folder, file));
  return cached(name, { files, texts: [toolchain, ...tags] }, async (output) => {
    const version = (await go(folder, ["list", "-m", "-f", "{{.Version}}", module])).trim();
    log(`building ${name} ${version} from its Go module, once: this takes some minutes`);
    const flags = ["-trimpath", "-ldflags", `-s -w ${linkerFlags(version)}`.trim()];
    if (tags.length > 0) flags.push("-tags", tags.join(","));
    const started = performance.now();
    await goBuild(folder, { program, flags, output, usesC }, (packages, seconds) =>
      log(`${name}: ${packages} packages compiled after ${seconds} s`),
    );
    log(`${name} ${version} built in ${Math.round((performance.now() - started) / 1000)} s`);
  });
}
