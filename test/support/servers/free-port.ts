import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Makes the server listen on a free port of loopback, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return address.port;
}

/** Below the ports that Linux gives to connections, so that none takes a port before its server has started. */
const firstPort = 20_000;
const ports = 12_000;

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + randomInt(ports);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
