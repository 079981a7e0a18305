import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/**
 * A network of the tests: host names resolve as the tests define, every port of every address is free, and nothing
 * reaches the outside. The machine's own network and its /etc/hosts stay as they are.
 */
export type Network = Readonly<{
  /** The command prefix to run a command inside. */
  enter: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}>;

/**
 * Addresses of the network itself; its programs may use any. Not those of the loopback network, whose registries CRI-O
 * takes for insecure.
 */
export const ownAddress = (number: number): string => `10.77.0.${number}`;

/** Exits when its standard input closes: nothing is left when the tests are killed. */
const hold = `ip link set lo up && ip address add ${ownAddress(1)}/24 dev lo && mount --bind "$1" /etc/hosts && echo open && exec cat`;

/** Waits until the process that holds a namespace reports that it is open; throws when it exits instead. */
export async function isOpen(holder: ChildProcessWithoutNullStreams): Promise<void> {
  const failed = text(holder.stderr);
  const first = await Promise.race([once(holder.stdout, "data"), once(holder, "close")]);
  if (String(first[0]).startsWith("open")) return;
  throw new Error(`no network namespace: ${(await failed).trim()}`);
}

/** Opens a network in which the names have these addresses; `folder` stores its hosts file. */
export async function openNetwork(
  folder: string,
  addresses: Readonly<Record<string, string>>,
): Promise<Network> {
  const hosts = join(folder, "hosts");
  const lines = Object.entries(addresses).map(([name, address]) => `${address} ${name}\n`);
  await writeFile(hosts, `127.0.0.1 localhost\n${lines.join("")}`);

  const holder = spawn("unshare", ["--net", "--mount", "sh", "-c", hold, "sh", hosts]);
  await isOpen(holder);
  return {
    enter: ["nsenter", `--target=${holder.pid}`, "--net", "--mount"],
    [Symbol.asyncDispose]: async () => {
      const closed = once(holder, "close");
      holder.stdin.end();
      await closed;
    },
  };
}
