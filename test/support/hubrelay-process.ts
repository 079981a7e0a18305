import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

/** A line of a process's log: the entry's fields, whatever they are. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A `hubrelay` process of the running test. */
export type HubrelayProcess = Readonly<{
  /** What it has logged so far. */
  lines: readonly LogLine[];
  /** The first line of this kind, as soon as it is there; fails when the process ends before. */
  logged(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** How it ended: an exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** What it wrote to standard error. */
  errors(): string;
}>;

/** Starts `hubrelay` with exactly this environment and reads the JSON lines that it logs. */
export function startHubrelay(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): HubrelayProcess {
  const child = spawn(process.execPath, [main, ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: LogLine[] = [];
  const errors: string[] = [];
  let wake = Promise.withResolvers<void>();
  const note = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line));
    note();
  });
  const ended = once(child, "close").then(([code, signal]): number | NodeJS.Signals => code ?? signal);
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
        if (isOver) throw new Error(`hubrelay ${args.join(" ")} ended before: ${errors.join("")}`);
        await wake.promise;
      }
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
    errors: () => errors.join(""),
  };
}
