import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { listenOnFreePort } from "../../../support/servers/free-port.ts";

/** An HTTP proxy that tunnels to one server, whatever host is requested. */
export type ConnectProxy = AsyncDisposable &
  Readonly<{
    url: string;
    /** `host:port` of every requested tunnel. */
    asked: readonly string[];
  }>;

/** Starts a proxy that requires `user:password`, if given, and tunnels to a port of this machine. */
export async function startConnectProxy(targetPort: number, login?: string): Promise<ConnectProxy> {
  const asked: string[] = [];
  const tunnels = new Set<Socket>();
  const wanted = login && `Basic ${Buffer.from(login).toString("base64")}`;
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on("connect", (request, client, head) => {
    asked.push(request.url ?? "");
    if (wanted && request.headers["proxy-authorization"] !== wanted) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const upstream = connect(targetPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    tunnels.add(upstream);
    const end = () => {
      tunnels.delete(upstream);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  const port = await listenOnFreePort(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const tunnel of tunnels) tunnel.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
