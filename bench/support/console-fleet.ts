import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ConsoleRequest, ConsoleResponse } from "./console-child.ts";

/** The console of a fleet, in a process of its own. */
export type ConsoleFleet = Readonly<{
  page: string;
  /** The URL of a copy of the pre-caching page as it was at the last `freeze`. */
  still: string;
  freeze(): Promise<void>;
  /** Changes this many clusters per second. Resolves after `seconds`. */
  change(perSecond: number, seconds: number): Promise<void>;
  /** Returns the memory of the process and its hub after a garbage collection. */
  memoryMiB(): Promise<number>;
  stop(): Promise<void>;
}>;

/** Starts the console of a hub in memory with this many clusters. */
export async function startConsoleFleet(clusters: number): Promise<ConsoleFleet> {
  const child = fork(join(import.meta.dirname, "console-child.ts"), [String(clusters)], {
    execArgv: ["--expose-gc"],
  });
  const response = async (): Promise<ConsoleResponse> => (await once(child, "message"))[0];
  const ask = async (request: ConsoleRequest): Promise<ConsoleResponse> => {
    const responded = response();
    child.send(request);
    return await responded;
  };
  const { page = "", still = "" } = await response();
  return {
    page,
    still,
    freeze: async () => {
      await ask({ verb: "freeze" });
    },
    change: async (perSecond, seconds) => {
      await ask({ verb: "change", perSecond, seconds });
    },
    memoryMiB: async () => (await ask({ verb: "memory" })).memoryMiB ?? Number.NaN,
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
