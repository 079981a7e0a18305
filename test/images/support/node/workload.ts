import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { type contentKeys, hostPaths } from "#shared/domain/precache-start/work/workload-contract.ts";
import type { CommandResult } from "../../../../infra/run-program.ts";
import { readTermination, type Termination } from "../../../support/precache/termination.ts";
import type { Lab } from "../network/lab.ts";
import { thinAddresses } from "../network/thin-link.ts";
import { stubOpm } from "./opm.ts";

const programs = fileURLToPath(new URL("../../../../infra/precache-workload/", import.meta.url));

/** The request to the workload, as its ConfigMap has it. */
export type Content = Readonly<Partial<Record<(typeof contentKeys)[number], string>>>;

/** The result of a run. */
export type Ended = Readonly<{ code: number | null; termination: Termination; log: string }>;

/** A running workload. */
export type Running = Readonly<{
  ended: Promise<Ended>;
  /** Waits until its log has this many lines with this text; throws when it ends before. */
  logged(text: string, count: number): Promise<void>;
  /** Its log so far. */
  log(): string;
  /** Kills its whole process group, as a node that loses its power. */
  kill(signal: NodeJS.Signals): void;
  /**
   * Ends it as a kubelet ends a pod: SIGTERM for its first process, and SIGKILL for what is left after the grace
   * period.
   */
  stop(graceSeconds?: number): Promise<void>;
}>;

/** A node on which the workload runs as in its pod: only parts of the node are mounted, below a folder. */
export type WorkloadNode = Readonly<{
  start(content: Content, environment?: Readonly<Record<string, string>>): Promise<Running>;
  run(content: Content, environment?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Checks which images are there, as the Job of a check does. */
  check(content: Content, environment?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Runs a program as on the node itself: with its image storage, and without the container of the workload. */
  bare(program: string, words: readonly string[]): Promise<CommandResult>;
  /** The images in the node's storage that have a name, as `repository@digest`. */
  images(): Promise<readonly string[]>;
  /** The path of a node's file outside of the node. */
  pathOf(file: string): string;
}>;

/**
 * Creates the mounts of the Job's volumes. Paths that this machine lacks are left out. Storage, runtime state and
 * credentials are the node's own; so are programs: the few that the workload needs of an RHCOS node, at RHCOS's paths,
 * and the libraries that they are linked with.
 */
const asInItsPod = `
set -e
host=$1 node=$2 size=$3; shift 3
show() {
  if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "\${2%/*}" && : >"$2"; fi
  mount --rbind "$1" "$2"
}
for program in bash cat conmon crun find jq podman skopeo; do
  show "$(command -v "$program")" "$node/usr/bin/$program"
done
show "$node/usr/bin/bash" "$node/usr/bin/sh"
for helper in /usr/lib*/podman/{netavark,aardvark-dns}; do
  [ ! -e "$helper" ] || show "$helper" "$node/usr/libexec/podman/\${helper##*/}"
done
mkdir -p "$node/usr/lib"
for libraries in /usr/lib/*-linux-gnu; do
  [ ! -e "$libraries" ] || show "$libraries" "$node$libraries"
done
mkdir -p "$host" && mount -t tmpfs tmpfs "$host"
for entry; do
  path=\${entry%%|*} mode=\${entry##*|}
  case $path in
    /var/lib/containers | /run/containers) source=$node$path; mkdir -p "$source" ;;
    /usr/bin | /usr/lib | /usr/libexec | /etc/kubernetes/* | /var/lib/kubelet/*) source=$node$path ;;
    *) source=$path ;;
  esac
  [ -e "$source" ] || continue
  show "$source" "$host$path"
  [ "$mode" = rw ] || mount -o remount,bind,ro "$host$path" 2>/dev/null || true
done
[ -z "$size" ] || mount -t tmpfs -o "size=$size" tmpfs "$host/var/lib/containers"
exec "$WORKLOAD"
`;

const mounts = hostPaths.map(({ path, writable }) => `${path}|${writable ? "rw" : "ro"}`);
const storage =
  '[storage]\ndriver = "vfs"\ngraphroot = "/var/lib/containers/storage"\nrunroot = "/run/containers/storage"\n';

const onTheNodeItself = `
root=$1; shift
for path in /var/lib/containers /run/containers /var/tmp; do
  mkdir -p "$path" "$root$path" && mount --bind "$root$path" "$path"
done
exec "$@"
`;

/** A kill may leave an image that is complete except for its name. */
const isNamed = (image: string) => image !== "" && !image.startsWith("<none>");
const namedImages = `
jq -r '.[].names[]?' /var/lib/containers/storage/vfs-images/images.json |
  while read -r name; do podman image exists "$name" && echo "$name"; done
`;

const plainRegistries = ["plain.lan", "faulty.lan", ...Object.keys(thinAddresses)]
  .map((name) => `[[registry]]\nlocation = "${name}"\ninsecure = true\n`)
  .join("");

type NodeSettings = Readonly<{
  size?: string;
  registriesConf?: string;
  /**
   * The percentage of the disk above which its kubelet removes images; 85 when the node's kubelet.conf does not set it.
   */
  threshold?: number;
  /** The `opm` of the workload's image; by default it prints catalogs as they are. */
  opm?: string | undefined;
}>;

/**
 * Creates a node; with a `size` its image storage is a file system of that many bytes, new at each run. By default it
 * speaks plain HTTP to the registries that have no certificate.
 */
export async function makeWorkloadNode(
  lab: Lab,
  { size, registriesConf = plainRegistries, threshold, opm }: NodeSettings = {},
): Promise<WorkloadNode> {
  const node = await lab.node([
    textFile("/etc/containers/registries.conf", registriesConf),
    textFile("/etc/containers/storage.conf", storage),
    textFile("/etc/containers/trusted.crt", await readFile(lab.trusted, "utf8")),
    textFile(
      "/etc/kubernetes/kubelet.conf",
      `kind: KubeletConfiguration\n${threshold === undefined ? "" : `imageGCHighThresholdPercent: ${threshold}\n`}`,
    ),
  ]);
  const root = node.pathOf("");
  const given = join(root, "given");
  const termination = join(root, "termination");
  const account = join(root, "account");
  await mkdir(account, { recursive: true });
  const stub = join(root, "opm");
  await writeFile(stub, stubOpm, { mode: 0o755 });
  await Promise.all(["token", "ca.crt"].map((name) => writeFile(join(account, name), `the ${name}`)));

  const spawned = (environment: Readonly<Record<string, string>>) => {
    const [first = "", ...enter] = node.enter;
    const inside = ["bash", "-c", asInItsPod, "bash", join(root, "host"), root, size ?? "", ...mounts];
    const env = {
      ...node.env,
      SSL_CERT_FILE: "/etc/containers/trusted.crt",
      HOST_FOLDER: join(root, "host"),
      CONFIG_VOLUME_PATH: given,
      TERMINATION_LOG: termination,
      OPM: opm ?? stub,
      PULL_FIRST_PAUSE: "0",
      SERVICE_ACCOUNT_FOLDER: account,
      WORKLOAD: join(programs, "precache.sh"),
      ...environment,
    };
    const child: ChildProcessByStdio<null, Readable, Readable> = spawn(first, [...enter, ...inside], {
      cwd: "/",
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const code = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    return { child, code };
  };

  const start: WorkloadNode["start"] = async (content, environment = {}) => {
    await mkdir(given, { recursive: true });
    for (const [key, value] of Object.entries(content)) {
      const file = join(given, key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, value ?? "");
    }
    await writeFile(termination, "");
    const { child, code } = spawned(environment);
    let log = "";
    child.stdout.resume();
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk;
    });
    const ended = (async (): Promise<Ended> => ({
      code: await code,
      termination: readTermination(await readFile(termination, "utf8")),
      log,
    }))();
    const signalTo = (pid: number, signal: NodeJS.Signals) => {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if (!(error instanceof Error) || !("code" in error) || error.code !== "ESRCH") throw error; // it has exited
      }
    };
    const kill = (signal: NodeJS.Signals) => {
      if (child.pid !== undefined) signalTo(-child.pid, signal);
    };
    return {
      ended,
      stop: async (graceSeconds = 30) => {
        if (child.pid !== undefined) signalTo(child.pid, "SIGTERM");
        const exited = child.exitCode ?? child.signalCode ?? once(child, "exit");
        await Promise.race([exited, setTimeout(graceSeconds * 1000, undefined, { ref: false })]);
        // A container's other processes end with its first one.
        kill("SIGKILL");
        await ended;
      },
      logged: async (wanted, count) => {
        while (log.split(wanted).length <= count) {
          const more = once(child.stderr, "data");
          if ((await Promise.race([more, code.then(() => "end")])) === "end")
            throw new Error(`the workload ended before it logged "${wanted}" ${count} times:\n${log}`);
        }
      },
      log: () => log,
      kill,
    };
  };

  const bare: WorkloadNode["bare"] = (program, words) =>
    node.run("bash", ["-c", onTheNodeItself, "bash", root, program, ...words]);

  return {
    start,
    run: async (content, environment) => (await start(content, environment)).ended,
    check: async (content, environment) =>
      (await start(content, { ...environment, WORKLOAD: join(programs, "check.sh") })).ended,
    bare,
    images: async () => {
      const format = "{{.Repository}}@{{.Digest}}";
      const { code, stdout, stderr } = await bare("podman", [
        ...["images", "--all", "--digests", "--format", format],
      ]);
      const sorted = (text: string) => text.trim().split("\n").filter(isNamed).sort();
      if (code === 0) return sorted(stdout);
      // podman lists nothing while an image is half written: a kill leaves one until it is pulled again. The second message
      // is that of podman 6.
      if (!/is dangling|locating item named/.test(stderr)) throw new Error(stderr);
      return sorted((await bare("bash", ["-c", namedImages])).stdout);
    },
    pathOf: node.pathOf,
  };
}
