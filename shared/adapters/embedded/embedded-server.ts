import type { FauxqsServer } from "fauxqs";
import { EnvironmentError } from "../settings/environment.ts";
import { keepReceiveCounts, onLoopback } from "./fauxqs-patches.ts";

/**
 * Loads fauxqs, an SQS and SNS server. The container image does not contain it, since no process of a deployment uses
 * it: throws `EnvironmentError` there.
 */
export async function loadEmbeddedServer(): Promise<typeof import("fauxqs")> {
  try {
    return await import("fauxqs");
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")) throw cause;
    throw new EnvironmentError(
      "this installation has no embedded queue server (fauxqs), which the container image leaves out. " +
        "Fix: run the command from the npm package or from a checkout, see docs/install.md.",
      { cause },
    );
  }
}

/**
 * Starts fauxqs on this port of 127.0.0.1, 0 for any free one. With `dataDir`, which only this process may use, queues
 * and messages survive it, also when it is killed.
 */
export async function startEmbeddedServer({
  dataDir,
  port,
}: Readonly<{ dataDir?: string | undefined; port: number }>): Promise<FauxqsServer> {
  const { startFauxqs } = await loadEmbeddedServer();
  const options = { logger: false, port, ...(dataDir === undefined ? {} : { dataDir }) };
  const server = await onLoopback(() => startFauxqs(options));
  if (dataDir !== undefined) keepReceiveCounts(dataDir);
  return server;
}
