import { createServer, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { listenOnFreePort } from "./free-port.ts";

export type ScriptedResponse = Readonly<{ status?: number; headers?: Record<string, string>; body: string }>;

/**
 * An HTTP server of the running test with scripted responses; the last one is repeated. `requests` holds the received
 * bodies.
 */
export async function scriptedServer(
  ...script: readonly ScriptedResponse[]
): Promise<Readonly<{ endpoint: string; requests: string[] }>> {
  const requests: string[] = [];
  const bodyOf = async (request: IncomingMessage) => (await request.toArray()).join("");
  const server = createServer((request, response) => {
    bodyOf(request).then((body) => {
      const scripted = script[Math.min(requests.length, script.length - 1)];
      requests.push(body);
      response.writeHead(scripted?.status ?? 200, scripted?.headers).end(scripted?.body);
    }, response.destroy.bind(response));
  });
  const port = await listenOnFreePort(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${port}`, requests };
}
