import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnFreePort } from "../support/servers/free-port.ts";

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
