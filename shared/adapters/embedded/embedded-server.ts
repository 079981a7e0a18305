import { type FauxqsServer, startFauxqs } from "fauxqs";
import { keepReceiveCounts, onLoopback } from "./fauxqs-patches.ts";

/**
 * Starts fauxqs, an SQS and SNS server, on this port of 127.0.0.1, 0 for any free one. With `dataDir`, which only this
 * process may use, queues and messages survive it, also when it is killed.
 */
export async function startEmbeddedServer({
  dataDir,
  port,
}: Readonly<{ dataDir?: string | undefined; port: number }>): Promise<FauxqsServer> {
  const options = { logger: false, port, ...(dataDir === undefined ? {} : { dataDir }) };
  const server = await onLoopback(() => startFauxqs(options));
  if (dataDir !== undefined) keepReceiveCounts(dataDir);
  return server;
}
