import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type NodeFile, nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { type CommandResult, finished } from "../../../../infra/run-program.ts";
import type { Network } from "../network/network.ts";

/** What pulls need of a machine with a container runtime. */
export type Node = Readonly<{
  /** The command prefix for the node's own network and /etc/containers. */
  enter: readonly string[];
  /** The environment of the node's programs. */
  env: NodeJS.ProcessEnv;
  /** Runs a program with the node's own /etc/containers and home. */
  run(program: string, words: readonly string[]): Promise<CommandResult>;
  /** `podman pull`, into the node's own storage. */
  podmanPull(image: string): Promise<CommandResult>;
  /** The path of a node's file outside of the node. */
  pathOf(file: string): string;
}>;

export type NodeOptions = Readonly<{
  /** A folder of its own. */
  folder: string;
  network: Network;
  /** PEM file with the authorities that the node trusts. */
  trusted: string;
  /** The folder of its podman, if not the machine's. */
  podman?: string | undefined;
}>;

/** The files of an unconfigured node. */
const unconfigured: readonly NodeFile[] = [
  textFile(
    nodePaths.registriesConf,
    "unqualified-search-registries = ['registry.access.redhat.com', 'docker.io']\n",
  ),
  textFile(nodePaths.policy, '{"default":[{"type":"insecureAcceptAnything"}]}\n'),
];

/** Podman 6 needs cgroups v2, which every node has; the test machine may have mounted v1. */
const asItsOwn = `
mount -t cgroup2 cgroup2 /sys/fs/cgroup && mount --bind "$1" /etc/containers && shift && exec "$@"
`;

/** Creates a node with these files on top of the files of every node. */
export async function makeNode(options: NodeOptions, files: readonly NodeFile[]): Promise<Node> {
  const { folder, network, trusted, podman } = options;
  const home = join(folder, "home");
  const pathOf = (file: string) => join(folder, file);
  await mkdir(home, { recursive: true });
  for (const { path, mode, contents } of [...unconfigured, ...files]) {
    await mkdir(dirname(pathOf(path)), { recursive: true });
    await writeFile(pathOf(path), contents, { mode });
  }

  const PATH = [podman, process.env.PATH].filter(Boolean).join(":");
  const env: NodeJS.ProcessEnv = { PATH, HOME: home, SSL_CERT_FILE: trusted };
  const inOwnMounts = ["unshare", "--mount", "sh", "-c", asItsOwn, "sh", pathOf("/etc/containers")];
  const enter = [...network.enter, ...inOwnMounts];
  const [first = "", ...words] = enter;
  const run: Node["run"] = (program, args) =>
    finished(first, [...words, program, ...args], { cwd: "/", env });

  const inOwnStorage = ["storage", "run", "tmp"].map((name) => join(folder, name));
  const [storage = "", runRoot = "", tmp = ""] = inOwnStorage;
  const storageOptions = ["--storage-driver=vfs", "--root", storage, "--runroot", runRoot, "--tmpdir", tmp];
  return {
    enter,
    env,
    run,
    podmanPull: (image) => run("podman", [...storageOptions, "pull", "--quiet", image]),
    pathOf,
  };
}
