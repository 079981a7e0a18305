import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { succeeded } from "../../../../infra/run-program.ts";
import { isOpen, type Network } from "./network.ts";

/** The registries that may be behind a thin link, and their addresses. */
export const thinAddresses = {
  "thin1.lan": "10.88.1.2",
  "thin2.lan": "10.88.2.2",
  "thin3.lan": "10.88.3.2",
} as const;

/** A token bucket: traffic above this rate waits in a queue, and is dropped when the queue is full. */
const shaped = (megabits: number) => [
  ...["root", "tbf", "rate", `${megabits}mbit`],
  ...["burst", "32kb", "latency", "400ms"],
];

/** Why links cannot be throttled on this machine: empty when they can. */
export const whyNoThinLink = (() => {
  const tried = spawnSync("unshare", ["--net", "tc", "qdisc", "add", "dev", "lo", ...shaped(8)]);
  return tried.status === 0
    ? ""
    : "tc cannot shape traffic here: the kernel lacks sch_tbf, or this is not root";
})();

/** A network with one address, at the far end of a link from another one. */
export type ThinLink = Network & Readonly<{ address: string }>;

/**
 * Opens a network namespace of its own behind a pair of virtual interfaces. Traffic from there to `near` is limited to
 * the rate; traffic to it is not. Throws with the reason in `whyNoThinLink`.
 */
export async function openThinLink(near: Network, name: string, megabits: number): Promise<ThinLink> {
  const address = Object.entries(thinAddresses).find(([known]) => known === name)?.[1];
  if (!address) throw new Error(`${name} is none of ${Object.keys(thinAddresses).join(", ")}`);
  const holder = spawn("unshare", ["--net", "sh", "-c", "ip link set lo up && echo open && exec cat"]);
  await isOpen(holder);
  const enter = [...near.enter, "nsenter", `--target=${holder.pid}`, "--net"];
  const inside = async (words: readonly string[], program: string, ...rest: string[]) => {
    const [first = "", ...more] = words;
    await succeeded(first, [...more, program, ...rest], { cwd: "/" });
  };
  const link = name.replace(".lan", "");
  const ip = (words: readonly string[], text: string) => inside(words, "ip", ...text.split(" "));
  await ip(near.enter, `link add ${link} type veth peer name far netns ${holder.pid}`);
  await ip(near.enter, `addr add ${address.replace(/2$/, "1")}/30 dev ${link}`);
  await ip(near.enter, `link set ${link} up`);
  await ip(enter, `addr add ${address}/30 dev far`);
  await ip(enter, "link set far up");
  await inside(enter, "tc", "qdisc", "add", "dev", "far", ...shaped(megabits));
  return {
    address,
    enter,
    [Symbol.asyncDispose]: async () => {
      const closed = once(holder, "close");
      // The kernel removes the interfaces of a namespace some time after its last process: the name would stay taken.
      await ip(near.enter, `link del ${link}`);
      holder.stdin.end();
      await closed;
    },
  };
}
