import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { paths } from "../../../infra/paths.ts";
import { type CommandResult, finished, succeeded } from "../../../infra/run-program.ts";
import packageJson from "../../../package.json" with { type: "json" };

/** The image that `npm run image` builds, as its archive and under the name that podman gives it. */
export const builtImage = {
  archive: join(paths.container, `hubrelay-${packageJson.version}.tar`),
  name: `hubrelay:${packageJson.version}`,
} as const;

const builder = "infra/image/main.ts";

/** Builds the image for both architectures, as people do; one build after the other where tiers run side by side. */
export const buildImage = () => succeeded("flock", [builder, process.execPath, builder], { cwd: paths.root });

/** podman with storage of its own, which starts containers also inside of a container or sandbox. */
export type Podman = Readonly<{
  environment: Readonly<Record<string, string>>;
  /** The program and arguments that run a script of bash in which `podman run` starts containers. */
  inShell(script: string): readonly [program: string, args: readonly string[]];
  /** Runs a script to its end. */
  run(script: string): Promise<CommandResult>;
}>;

/**
 * Sets up podman in a folder. Containers have the machine's network, no cgroup and small limits, since the machine may
 * itself be a container that may give them nothing else; and they see no cgroups, which crun refuses when they are of both
 * versions.
 */
export async function podmanIn(folder: string): Promise<Podman> {
  const [storage, containers] = [join(folder, "storage.conf"), join(folder, "containers.conf")];
  const [root, run] = [join(folder, "podman"), join(folder, "podman-run")];
  await writeFile(storage, `[storage]\ndriver = "vfs"\ngraphroot = "${root}"\nrunroot = "${run}"\n`);
  const limits = '["nofile=1024:1024", "nproc=1024:1024"]';
  await writeFile(
    containers,
    `[containers]\nnetns = "host"\ncgroups = "disabled"\ndefault_ulimits = ${limits}\n`,
  );
  const policies = join(folder, ".config/containers");
  await mkdir(policies, { recursive: true });
  await copyFile(join(paths.container, "policy.json"), join(policies, "policy.json"));
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    CONTAINERS_STORAGE_CONF: storage,
    CONTAINERS_CONF: containers,
  };
  const inShell = (script: string) =>
    ["unshare", ["--mount", "bash", "-c", `mount -t tmpfs tmpfs /sys/fs/cgroup\n${script}`]] as const;
  return {
    environment,
    inShell,
    run: (script) => finished(...inShell(script), { cwd: paths.root, env: environment }),
  };
}

/** Returns why podman could not start a container, by its exit code and last line; undefined where it could. */
export function whyNotStarted({ code, stderr }: CommandResult): string | undefined {
  if (code === null || code < 125) return undefined;
  return `podman starts no container here: ${stderr.trim().split("\n").at(-1)}`;
}
