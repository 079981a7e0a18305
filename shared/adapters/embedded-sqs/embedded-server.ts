import { NodeHttpHandler } from "@smithy/node-http-handler";
import { startFauxqs } from "fauxqs";
import { signalOf } from "../aws/client-options.ts";
import { abortable } from "../network/abortable.ts";
import { type Inject, keepReceiveCounts, onLoopback } from "./fauxqs-patches.ts";

/** An SQS and SNS server. */
type EmbeddedServer = Readonly<{
  address: string;
  /** For the clients of this process: takes half as long as a socket. */
  requestHandler: NodeHttpHandler;
  stop(): Promise<void>;
}>;

/** As the SDK's own handler makes it: what has timed out is sent again, what was aborted is not. */
function abortError({ reason }: AbortSignal): Error {
  const error = new Error("the request was aborted", { cause: reason });
  error.name = "AbortError";
  return error;
}

/** The SDK's own bytes warn about every method but those of Uint8Array. */
function bufferOf(body: unknown): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return Buffer.alloc(0);
}

/** Hands requests to a server of this process, until the batch that they are for is over. */
class DirectHandler extends NodeHttpHandler {
  readonly #inject: Inject;

  constructor(inject: Inject) {
    super();
    this.#inject = inject;
  }

  override async handle(...[request, options]: Parameters<NodeHttpHandler["handle"]>) {
    const signal = signalOf(options);
    if (signal.aborted) throw abortError(signal);
    const { method, path, headers, body } = request;
    const responded = this.#inject({ method, url: path, headers, body: bufferOf(body) });
    const {
      statusCode,
      headers: given,
      rawPayload,
    } = await abortable(responded, signal).catch((error) => {
      throw signal.aborted ? abortError(signal) : error;
    });
    const texts = Object.entries(given).map(([name, value]) => [name, String(value)]);
    return { response: { statusCode, headers: Object.fromEntries(texts), body: rawPayload } };
  }
}

/**
 * Starts fauxqs, an SQS and SNS server, on this port of 127.0.0.1, 0 for any free one. With `dataDir`, which only this
 * process may use, queues and messages survive it, also when it is killed.
 */
export async function startEmbeddedServer({
  dataDir,
  port,
}: Readonly<{ dataDir?: string | undefined; port: number }>): Promise<EmbeddedServer> {
  const options = { logger: false, port, ...(dataDir === undefined ? {} : { dataDir }) };
  const { server, inject } = await onLoopback(() => startFauxqs(options));
  if (dataDir !== undefined) keepReceiveCounts(dataDir);
  const { address } = server;
  return { address, requestHandler: new DirectHandler(inject), stop: () => server.stop() };
}
