import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FauxqsServer } from "fauxqs";
import { hostName, loopbackHosts } from "../network/host-header.ts";

// Patches of fauxqs 2.4.1, applied at run time. A patch's tests fail once fauxqs no longer has the defect.

const loopback = "127.0.0.1";
/** On this diagnostics channel, Fastify publishes each new instance before the instance starts. */
const fastifyChannel = "fastify.initialization";

type Request = Readonly<{ headers: IncomingHttpHeaders }>;
type Reply = Readonly<{ code(status: number): Readonly<{ send(text: string): unknown }> }>;
/** The response to a request without a socket. */
export type DirectResponse = Readonly<{
  statusCode: number;
  headers: OutgoingHttpHeaders;
  rawPayload: Uint8Array;
}>;

/** Passes a request to the server without a socket, and returns the response. */
export type Inject = (
  request: Readonly<{ method: string; url: string; headers: Readonly<Record<string, string>>; body: Buffer }>,
) => Promise<DirectResponse>;

type Listener = {
  listen: (options: object) => unknown;
  inject: Inject;
  addHook: (name: "onRequest", hook: (request: Request, reply: Reply, done: () => void) => void) => unknown;
};

function isAnnouncement(message: unknown): message is { fastify: Listener } {
  if (typeof message !== "object" || message === null || !("fastify" in message)) return false;
  const { fastify } = message;
  return (
    typeof fastify === "object" &&
    fastify !== null &&
    "listen" in fastify &&
    typeof fastify.listen === "function" &&
    "inject" in fastify &&
    typeof fastify.inject === "function" &&
    "addHook" in fastify &&
    typeof fastify.addHook === "function"
  );
}

/** Reports whether a web page sent the request, also by DNS rebinding (with a Host that is no loopback name). */
function isFromPage({ host = "", origin, "sec-fetch-site": site = "none" }: IncomingHttpHeaders): boolean {
  const name = hostName(host);
  // The host of fauxqs's queue URLs is a name below `localhost`, which nobody can register.
  const isLoopback = loopbackHosts.includes(name) || name.endsWith(".localhost");
  return origin !== undefined || site !== "none" || !isLoopback;
}

/**
 * Starts a fauxqs server that listens only on the loopback interface and rejects requests of web pages. fauxqs itself
 * listens on every interface and checks no credentials; its `host` option only affects queue URLs.
 */
export async function onLoopback(
  start: () => Promise<FauxqsServer>,
): Promise<Readonly<{ server: FauxqsServer; inject: Inject }>> {
  let inject: Inject | undefined;
  const patchListen = (message: unknown): void => {
    if (!isAnnouncement(message)) return;
    const { fastify } = message;
    const listen = fastify.listen.bind(fastify);
    fastify.listen = (given) => listen({ ...given, host: loopback });
    fastify.addHook("onRequest", ({ headers }, reply, done) => {
      if (isFromPage(headers))
        reply.code(403).send("The embedded queues serve programs on this machine only.\n");
      else done();
    });
    inject = (request) => fastify.inject(request);
  };
  subscribe(fastifyChannel, patchListen);
  // fauxqs creates its server before its first await, so no other Fastify in this process is affected.
  const starting = start();
  unsubscribe(fastifyChannel, patchListen);
  const server = await starting;
  if (inject && new URL(server.address).hostname === loopback) return { server, inject };
  await server.stop();
  throw new Error(`the embedded queues would listen on ${server.address}, not only on ${loopback}`);
}

/**
 * Adds a trigger to the database of a started fauxqs. If a message is released with a visibility of 0 seconds, the
 * trigger keeps its receive count; fauxqs itself would store NULL, which its own schema rejects. Nobody would then
 * receive the message until the next start.
 */
export function keepReceiveCounts(dataDir: string): void {
  using database = new DatabaseSync(join(dataDir, "fauxqs.db"));
  database.exec(`
    CREATE TRIGGER IF NOT EXISTS keep_receive_count BEFORE UPDATE ON sqs_messages
    WHEN NEW.approximate_receive_count IS NULL
    BEGIN
      UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = OLD.message_id;
      SELECT RAISE(IGNORE);
    END`);
}
