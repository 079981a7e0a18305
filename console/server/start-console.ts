import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { consoleApp } from "./app.ts";
import { loadAssets } from "./assets.ts";
import { watchHub } from "./watched-hub.ts";

export type ConsoleOptions = Readonly<{
  hub: Pick<Hub, "id" | "get" | "watch">;
  address: string;
  /** The port to listen on. 0 means any free port. */
  port: number;
  hostNames?: readonly string[];
  now?: () => Date;
}>;

export type RunningConsole = Readonly<{
  url: string;
  close(): Promise<void>;
}>;

const refreshMs = 1_000;

/** Serves the pages about a hub. Throws `EnvironmentError` if the port is not available. */
export async function startConsole({
  hub,
  address,
  port,
  hostNames = [],
  now = () => new Date(),
}: ConsoleOptions): Promise<RunningConsole> {
  const stop = new AbortController();
  const watched = watchHub(hub, stop.signal, now);
  let loaded: ReturnType<typeof loadAssets> | undefined;
  const assets = () => {
    loaded ??= loadAssets();
    return loaded;
  };
  const { app, views } = consoleApp({
    hub: watched,
    assets,
    hostNames,
    signal: stop.signal,
  });
  const server = createServer(getRequestListener(app.fetch, { hostname: address }));
  server.listen(port, address);
  try {
    await once(server, "listening");
  } catch (cause) {
    stop.abort();
    const problem = messageOf(cause);
    throw new EnvironmentError(`The console cannot listen on port ${port}: ${problem}`, { cause });
  }
  let isRefreshing = false;
  const refreshes = setInterval(async () => {
    if (isRefreshing) return;
    isRefreshing = true;
    await views.refresh();
    isRefreshing = false;
  }, refreshMs);
  const { port: bound } = server.address() as AddressInfo;
  const shown = address.includes(":") ? `[${address}]` : address;
  return {
    url: `http://${shown}:${bound}`,
    async close() {
      clearInterval(refreshes);
      stop.abort();
      server.close();
      server.closeAllConnections();
      await watched.ended;
    },
  };
}
