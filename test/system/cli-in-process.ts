import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { runCommand } from "../../cli/commands/run-command.ts";
import { type LoggingProcess, readLog } from "../support/processes/process-lines.ts";
import { type CommandOptions, type CommandResult, environmentWith } from "./cli.ts";

/** Thrown where the command would end its process. */
class ProcessExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`process.exit(${exitCode})`);
    this.exitCode = exitCode;
  }
}

/** Sets a property of the process until the returned function is called. */
function replaced(name: "stdin" | "stdout" | "stderr" | "argv" | "exit", value: unknown) {
  const before = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
  return () => {
    if (before) Object.defineProperty(process, name, before);
    else Reflect.deleteProperty(process, name);
  };
}

/** Changes the variables one by one, since `TZ` takes effect only in the process's own environment. */
function setEnvironment(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** Returns what removes the signal handlers that are added from now on, and what calls those of SIGTERM. */
function signalHandlersAdded() {
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  const added = (signal: (typeof signals)[number]) =>
    process.listeners(signal).filter((one) => !before.get(signal)?.includes(one));
  return {
    remove: () => {
      for (const signal of signals) for (const one of added(signal)) process.off(signal, one);
    },
    terminate: () => {
      for (const one of added("SIGTERM")) one("SIGTERM");
    },
  };
}

let last: Promise<unknown> = Promise.resolve();

/**
 * `oneStream`: messages are in `stdout` as well, in the order in which a terminal shows both. `columns`: standard error is
 * a terminal of that width.
 */
type InProcessOptions = CommandOptions & Readonly<{ oneStream?: boolean; columns?: number }>;

/** What a command writes to. */
type Streams = Readonly<{ stdout: PassThrough; stderr: PassThrough }>;

const streams = (): Streams => ({ stdout: new PassThrough(), stderr: new PassThrough() });

async function run(args: readonly string[], options: InProcessOptions): Promise<CommandResult> {
  const { stdout, stderr } = streams();
  if (options.columns !== undefined) Object.assign(stderr, { isTTY: true, columns: options.columns });
  const output = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await runWith({ stdout, stderr }, signalHandlersAdded(), args, options);
  const [out, err] = await output;
  return { stdout: out, stderr: err, exitCode };
}

/** Runs a command with these streams, ends them, and returns its exit code. */
async function runWith(
  { stdout, stderr }: Streams,
  handlers: ReturnType<typeof signalHandlersAdded>,
  args: readonly string[],
  options: InProcessOptions,
): Promise<number> {
  const { stdin = "", cwd } = options;
  const environment = { ...process.env };
  const folder = process.cwd();
  const codeBefore = process.exitCode;
  const exit = (code?: number) => {
    throw new ProcessExit(code ?? Number(process.exitCode ?? 0));
  };
  const restore = [
    handlers.remove,
    replaced("stdin", Readable.from(stdin === "" ? [] : [Buffer.from(stdin)])),
    replaced("stdout", stdout),
    replaced("stderr", options.oneStream ? stdout : stderr),
    replaced("argv", [process.execPath, "hubrelay", ...args]),
    replaced("exit", exit),
  ];
  let exitCode: number;
  try {
    process.exitCode = undefined;
    setEnvironment(environmentWith(options));
    if (cwd !== undefined) process.chdir(cwd);
    await runCommand();
    exitCode = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof ProcessExit)) throw error;
    exitCode = error.exitCode;
  } finally {
    process.exitCode = codeBefore;
    process.chdir(folder);
    setEnvironment(environment);
    for (const one of restore.reverse()) one();
  }
  stdout.end();
  stderr.end();
  return exitCode;
}

/** Returns a text in which each issue is one line with its code at the end, wherever a line of the text was broken. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/\n {4}(?=\S)/g, " ").replaceAll(/ (\[\w+\])( .+)$/gm, "$2 $1");

/**
 * Runs the `hubrelay` command in the process of the test, which saves the start of Node.js: for tests whose subject is
 * what a command does, not its process. Commands run one after another, since they share streams, environment and
 * folder.
 */
export function hubrelay(args: readonly string[], options: InProcessOptions = {}): Promise<CommandResult> {
  const result = last.then(() => run(args, options));
  last = result.catch(() => undefined);
  return result;
}

/**
 * Starts a command that runs until SIGTERM in the process of the test. Only one runs at a time: the next command starts
 * when it has ended.
 */
export function startInProcess(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Omit<LoggingProcess, "pid"> {
  const { stdout, stderr } = streams();
  const handlers = signalHandlersAdded();
  const ended = last.then(() => runWith({ stdout, stderr }, handlers, args, { variables }));
  last = ended.catch(() => undefined);
  return readLog({ name: args.join(" "), stdout, stderr, ended, kill: handlers.terminate });
}
