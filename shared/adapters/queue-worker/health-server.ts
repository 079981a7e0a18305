import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { messageOf } from "../../domain/text/error-text.ts";
import { EnvironmentError } from "../settings/environment.ts";

export type HealthServer = Readonly<{
  address: string;
  close(): Promise<void>;
}>;

type Reply = Readonly<{ status: number; type?: string; text: string }>;

/**
 * Serves `/healthz`, `/readyz` and `/metrics` on `port` of all interfaces (0 for any free port). Throws
 * `EnvironmentError` if the port is not available.
 */
export async function startHealthServer({
  port,
  notReady,
  standby = () => undefined,
  metrics,
}: Readonly<{
  port: number;
  /** Returns the reason why the process is not ready. Undefined if it is ready. */
  notReady: () => string | undefined;
  /** Returns the name of the current leader while this process is on standby. Undefined while it works. */
  standby?: () => string | undefined;
  metrics: Readonly<{ contentType: string; text(): Promise<string> }>;
}>): Promise<HealthServer> {
  const replyTo = async (path: string): Promise<Reply> => {
    switch (path) {
      case "/healthz":
        return { status: 200, text: "ok\n" };
      case "/readyz": {
        const reason = notReady();
        return reason === undefined
          ? { status: 200, text: `${standby() ?? "ok"}\n` }
          : { status: 503, text: `${reason}\n` };
      }
      case "/metrics":
        return { status: 200, type: metrics.contentType, text: await metrics.text() };
      default:
        return { status: 404, text: "not found; use /healthz, /readyz or /metrics\n" };
    }
  };
  const send = (response: ServerResponse, { status, type = "text/plain; charset=utf-8", text }: Reply) =>
    response.writeHead(status, { "content-type": type }).end(text);

  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    replyTo(path).then(
      (reply) => send(response, reply),
      () => send(response, { status: 500, text: "internal error\n" }),
    );
  });
  server.listen(port);
  try {
    await once(server, "listening");
  } catch (error) {
    const why = messageOf(error);
    throw new EnvironmentError(`The port ${port} for health and metrics is not available: ${why}.`);
  }
  const bound = server.address();
  const address =
    typeof bound === "object" && bound !== null ? `127.0.0.1:${bound.port}` : `127.0.0.1:${port}`;
  return {
    address,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
