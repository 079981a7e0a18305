import { setImmediate } from "node:timers/promises";
import type { LoggingProcess } from "../processes/process-lines.ts";

/** A process that can be killed and is restarted automatically. */
export type Victim = Readonly<{
  name: string;
  /** Resolves as soon as it has started. */
  running(): Promise<void>;
  /** Sends SIGKILL; resolves when the process has exited, while the next one starts. */
  kill(): Promise<void>;
}>;

/** A process that is restarted whenever it ends, as an operating system or a kubelet does. */
export type KeptProcess = Victim &
  Readonly<{
    /** Stops restarting, and kills the last process. */
    stop(): Promise<void>;
  }>;

export function keep(name: string, start: () => LoggingProcess): KeptProcess {
  let current = start();
  let isOver = false;

  const hasStarted = ({ lines }: LoggingProcess) => lines.some(({ event }) => event === "started");

  async function again(): Promise<void> {
    while (!isOver) {
      await current.ended;
      if (!isOver) current = start();
    }
  }
  const keeping = again();

  return {
    name,
    async running() {
      while (!isOver) {
        const asked = current;
        await asked.logged(({ event }) => event === "started").catch(() => undefined); // exited too early
        if (hasStarted(asked) && asked === current) return;
        await setImmediate();
      }
    },
    async kill() {
      await current.end("SIGKILL");
    },
    async stop() {
      isOver = true;
      await current.end("SIGKILL");
      await keeping;
    },
  };
}
