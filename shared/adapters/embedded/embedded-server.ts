import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type FauxqsServer, startFauxqs } from "fauxqs";

const loopback = "127.0.0.1";
/** Fastify announces every instance it makes here, for changes before it starts. */
const fastifyChannel = "fastify.initialization";

/**
 * fauxqs 2.4.1 stores NULL as the receive count of a message that is given back with a visibility of 0 seconds,
 * which its own schema refuses: the request fails after the message has left its memory, and nobody gets it
 * until the next start. The trigger does what was meant and keeps the count.
 */
const keepReceiveCount = `
  CREATE TRIGGER IF NOT EXISTS keep_receive_count BEFORE UPDATE ON sqs_messages
  WHEN NEW.approximate_receive_count IS NULL
  BEGIN
    UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = OLD.message_id;
    SELECT RAISE(IGNORE);
  END`;

type Listener = { listen: (options: object) => unknown };

function isAnnouncement(message: unknown): message is { fastify: Listener } {
  if (typeof message !== "object" || message === null || !("fastify" in message)) return false;
  const { fastify } = message;
  return (
    typeof fastify === "object" &&
    fastify !== null &&
    "listen" in fastify &&
    typeof fastify.listen === "function"
  );
}

/**
 * fauxqs listens on every interface and asks nobody for credentials; its `host` option only goes into queue
 * URLs. So the address is replaced where its web framework offers it.
 */
async function startOnLoopback(options: Readonly<{ dataDir?: string; port: number }>): Promise<FauxqsServer> {
  let kept = false;
  const keepInside = (message: unknown): void => {
    if (!isAnnouncement(message)) return;
    const { fastify } = message;
    const listen = fastify.listen.bind(fastify);
    fastify.listen = (given) => listen({ ...given, host: loopback });
    kept = true;
  };
  subscribe(fastifyChannel, keepInside);
  // Its server is made before the first await, so no other Fastify in this process is touched.
  const starting = startFauxqs({ logger: false, ...options });
  unsubscribe(fastifyChannel, keepInside);
  const server = await starting;
  if (kept && new URL(server.address).hostname === loopback) return server;
  await server.stop();
  throw new Error(`the embedded queues would listen on ${server.address}, not on ${loopback} alone`);
}

/**
 * Starts fauxqs, an SQS and SNS server, on this port of 127.0.0.1, 0 for any free one. With `dataDir`, which must
 * belong to this process alone, queues and messages outlive it, also when it is killed.
 */
export async function startEmbeddedServer({
  dataDir,
  port,
}: Readonly<{ dataDir?: string | undefined; port: number }>): Promise<FauxqsServer> {
  if (dataDir === undefined) return startOnLoopback({ port });
  const server = await startOnLoopback({ dataDir, port });
  const database = new DatabaseSync(join(dataDir, "fauxqs.db"));
  database.exec(keepReceiveCount);
  database.close();
  return server;
}
