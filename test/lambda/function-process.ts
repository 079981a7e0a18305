import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { finished } from "../../infra/run-program.ts";
import { listenOnFreePort } from "../support/servers/free-port.ts";
import type { LambdaRuntime } from "./lambda-runtime.ts";

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

/** The result of one invocation: what the handler returned, or the runtime's error document. */
export type InvocationResult =
  | Readonly<{ kind: "response"; body: unknown }>
  | Readonly<{ kind: "error"; body: unknown }>;

/**
 * The calls of Lambda's Runtime API that a runtime client makes: returns invocations one at a time and accepts their
 * results. Source: AWS Lambda Developer Guide, "Using the Lambda runtime API", 2018-06-01.
 */
export type RuntimeApi = Readonly<{
  /** `host:port`, for AWS_LAMBDA_RUNTIME_API. */
  address: string;
  /** Passes the event to the runtime; resolves when the runtime has posted the result. */
  invoke(event: unknown): Promise<InvocationResult>;
  [Symbol.asyncDispose](): Promise<void>;
}>;

type Invocation = Readonly<{ id: string; event: string; finish: (result: InvocationResult) => void }>;

const prefix = "/2018-06-01/runtime";
const deadlineMs = 30_000;

/** Starts the server on a free port of the loopback interface. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let idle: ((invocation: Invocation) => void) | undefined;
  let invocations = 0;
  let initError: InvocationResult | undefined;

  const sendInvocation = (invocation: Invocation, response: ServerResponse): void => {
    running.set(invocation.id, invocation);
    response.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": invocation.id,
      "lambda-runtime-deadline-ms": String(Date.now() + deadlineMs),
      "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:000000000000:function:under-test",
      "lambda-runtime-trace-id": "Root=1-00000000-000000000000000000000000;Sampled=0",
    });
    response.end(invocation.event);
  };

  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, id, outcome] = request.url?.match(`^${prefix}/invocation/([^/]+)(?:/(response|error))?$`) ?? [];
    if (id === "next") {
      const invocation = waiting.shift();
      if (invocation) sendInvocation(invocation, response);
      else idle = (arrived) => sendInvocation(arrived, response); // held open, as Lambda does while it freezes
      return;
    }
    const posted = await text(request);
    const body: unknown = posted === "" ? undefined : JSON.parse(posted);
    response.writeHead(202, { "content-type": "application/json" }).end("{}");
    if (id && outcome) {
      running.get(id)?.finish({ kind: outcome === "response" ? "response" : "error", body });
      running.delete(id);
    } else {
      initError = { kind: "error", body };
      for (const invocation of waiting.splice(0)) invocation.finish(initError);
    }
  };

  const server = createServer((request, response) => {
    handleRequest(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const port = await listenOnFreePort(server);

  return {
    address: `127.0.0.1:${port}`,
    invoke: (event) =>
      new Promise((finish) => {
        if (initError) return finish(initError);
        invocations += 1;
        const invocation = { id: `invocation-${invocations}`, event: JSON.stringify(event), finish };
        const deliver = idle;
        idle = undefined;
        if (deliver) deliver(invocation);
        else waiting.push(invocation);
      }),
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
