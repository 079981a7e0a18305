import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { listenOnFreePort } from "./free-port.ts";

/** The connection between a client and a server, which a test can cut and stall. */
export type Wire = AsyncDisposable &
  Readonly<{
    port: number;
    /** Number of connections accepted so far. */
    accepted(): number;
    /** Breaks all connections and refuses new ones until `restore` is called. */
    cut(): void;
    restore(): void;
    /** Stops all transfer on open connections until `release` is called; new connections work. */
    stall(): void;
    release(): void;
  }>;

/** Opens a wire to a server on this machine. */
export async function openWire(serverPort: number): Promise<Wire> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  let count = 0;

  const server = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    count++;
    const upstream = connect(serverPort, "127.0.0.1");
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    client.pipe(upstream).pipe(client);
  });
  const port = await listenOnFreePort(server);

  const cutAll = () => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };
  let stalled: readonly (readonly [Socket, Socket])[] = [];
  return {
    port,
    accepted: () => count,
    cut() {
      isCut = true;
      cutAll();
    },
    restore() {
      isCut = false;
    },
    stall() {
      stalled = [...pairs];
      for (const [client, upstream] of stalled) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        client.pause();
        upstream.pause();
      }
    },
    release() {
      for (const [client, upstream] of stalled) client.pipe(upstream).pipe(client);
      stalled = [];
    },
    async [Symbol.asyncDispose]() {
      cutAll();
      server.close();
      await once(server, "close");
    },
  };
}
