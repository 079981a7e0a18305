import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** A line of a process's log, with any fields. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A process of the running test that writes one JSON object a line. */
export type LoggingProcess = Readonly<{
  pid: number | undefined;
  /** What it has written so far. */
  lines: readonly LogLine[];
  /** The first matching line, as soon as it is written; fails when the process exits before. */
  logged(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** How it ended: an exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** What it wrote to standard error. */
  errors(): string;
}>;

/** Runs a file under Node with exactly this environment and reads the lines that it writes. */
export function startLogging(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): LoggingProcess {
  return startLoggingProgram(process.execPath, [file, ...args], environment);
}

/** Runs a program like `startLogging`. */
export function startLoggingProgram(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): LoggingProcess {
  const child: ChildProcess = spawn(program, args, {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("a child with pipes has both");
  // No orphans when the test process itself is ended.
  const killWithParent = () => child.kill("SIGKILL");
  process.once("exit", killWithParent);
  const ended = once(child, "close").then(([code, signal]): number | NodeJS.Signals => code ?? signal);
  ended.then(() => process.off("exit", killWithParent));
  const kill = (signal: NodeJS.Signals) => child.kill(signal);
  return {
    pid: child.pid,
    ...readLog({ name: `${program} ${args.join(" ")}`, stdout, stderr, ended, kill }),
  };
}

/** What runs, in a process of its own or in that of the test. */
type Running = Readonly<{
  name: string;
  stdout: Readable;
  stderr: Readable;
  ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): unknown;
}>;

/** Reads what it writes, line by line, until it has ended. */
export function readLog({ name, stdout, stderr, ended, kill }: Running): Omit<LoggingProcess, "pid"> {
  const lines: LogLine[] = [];
  const errors: string[] = [];
  let wake = Promise.withResolvers<void>();
  const note = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  createInterface({ input: stdout }).on("line", (line) => {
    // A killed process may leave half a line.
    if (line.endsWith("}")) lines.push(JSON.parse(line));
    note();
  });
  let isOver = false;
  ended.then(() => {
    isOver = true;
    note();
  }, note);
  return {
    lines,
    ended,
    async logged(matches) {
      for (;;) {
        const found = lines.find(matches);
        if (found) return found;
        if (isOver) throw new Error(`${name} ended before: ${errors.join("")}`);
        await wake.promise;
      }
    },
    end(signal) {
      kill(signal);
      return ended;
    },
    errors: () => errors.join(""),
  };
}
