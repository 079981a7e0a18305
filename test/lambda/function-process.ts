import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { finished } from "../../infra/run-program.ts";
import type { LambdaRuntime } from "./lambda-runtime.ts";
import { type InvocationResult, startRuntimeApi } from "./runtime-api.ts";

/** The folder of an unzipped artefact, and the environment of its configuration. */
export type FunctionProcessOptions = Readonly<{
  runtime: LambdaRuntime;
  taskRoot: string;
  environment: Readonly<Record<string, string>>;
}>;

/** A running function; `output` is what it has logged so far. */
export type FunctionProcess = Readonly<{
  pid: number;
  invoke(event: unknown): Promise<InvocationResult>;
  output(): string;
  [Symbol.asyncDispose](): Promise<void>;
}>;

/** Unpacks an artefact with another program than the one that packed it. */
export async function unzip(archive: string, folder: string): Promise<void> {
  const { code, stderr } = await finished("unzip", ["-q", "-o", archive, "-d", folder], { cwd: folder });
  if (code !== 0) throw new Error(`unzip ${archive}: ${stderr}`);
}

/** Starts the function as Lambda does: its environment contains only what AWS and its configuration set. */
export async function startFunction(options: FunctionProcessOptions): Promise<FunctionProcess> {
  const api = await startRuntimeApi();
  const child = spawn(process.execPath, [options.runtime.program], {
    cwd: options.taskRoot,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environmentOfLambda(options.taskRoot, api.address), ...options.environment },
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString("utf8");
  const died = once(child, "close").then(([code, signal]) => {
    throw new Error(`the function ended with ${code ?? signal}:\n${output()}`);
  });
  died.catch(() => undefined); // reported to each caller that waits for an invocation
  return {
    pid: child.pid ?? Number.NaN,
    invoke: (event) => Promise.race([api.invoke(event), died]),
    output,
    [Symbol.asyncDispose]: async () => {
      await stop(child);
      await api[Symbol.asyncDispose]();
    },
  };
}

function environmentOfLambda(taskRoot: string, runtimeApi: string): NodeJS.ProcessEnv {
  return {
    _HANDLER: "handler.handler",
    LAMBDA_TASK_ROOT: taskRoot,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    AWS_LAMBDA_FUNCTION_NAME: "under-test",
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "1024",
    AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/under-test",
    AWS_LAMBDA_LOG_STREAM_NAME: "under-test",
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}
