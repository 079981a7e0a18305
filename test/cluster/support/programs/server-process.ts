import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** A server in a process of its own, which does not outlive the test process. */
export type ServerProcess = Readonly<{
  /** Sends a signal; SIGSTOP and SIGCONT freeze and thaw it. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it, at once or (SIGTERM) gracefully, and waits for its exit. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}>;

const startMs = 120_000;

/** The last lines of a server's output: why it does not start. */
async function lastLines(log: string): Promise<string> {
  return (await readFile(log, "utf8")).trim().split("\n").slice(-15).join("\n");
}

/**
 * Starts a server and waits until `isReady` returns true. Throws with the end of its log when it exits before, or is
 * not ready within two minutes.
 */
export async function startServer(
  program: string,
  args: readonly string[],
  {
    log,
    isReady,
    temporary,
  }: Readonly<{
    log: string;
    isReady: () => Promise<boolean>;
    /** For a server that leaves files behind. */
    temporary?: string;
  }>,
): Promise<ServerProcess> {
  const output = openSync(log, "a");
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", program, ...args], {
    env: { ...process.env, ...(temporary ? { TMPDIR: temporary } : {}) },
    stdio: ["ignore", output, output],
  });
  const closed = once(child, "close");
  await untilReady(child, program, log, isReady);
  return {
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      child.kill("SIGCONT");
      await closed;
    },
  };
}

async function untilReady(
  child: ChildProcess,
  program: string,
  log: string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + startMs;
  while (!(await isReady())) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && performance.now() < deadline) await sleep(100);
    else {
      child.kill("SIGKILL");
      const reason = hasEnded ? "ended" : `was not ready within ${startMs / 1000} s`;
      throw new Error(`${program} ${reason}:\n${await lastLines(log)}`);
    }
  }
}
