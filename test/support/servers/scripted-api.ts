import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { onTestFinished } from "vitest";
import { listenOnFreePort } from "./free-port.ts";
import { certificate, key } from "./server-certificate.ts";

/** A request as the scripted API has received it. */
export type ApiCall = Readonly<{
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}>;

/** Responds to a call: at once or, as it has the response, piece by piece. */
export type ApiScript = (call: ApiCall, response: ServerResponse) => void;

export type ScriptedApi = Readonly<{
  url: string;
  calls: readonly ApiCall[];
  /** Number of connections opened so far. */
  connections(): number;
  /** Closes idle connections, as servers do after a timeout. */
  closeIdleConnections(): void;
}>;

export function respondJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** What the API server says of an account that lacks a right. */
const lacksRight = 'forbidden: User "a" cannot get resource "b" in API group "c"';

/** A Status with an error, as the API returns it. */
export function respondStatus(
  response: ServerResponse,
  code: number,
  reason: string,
  {
    message = code === 403 ? lacksRight : "no",
    headers = {},
  }: Readonly<{ message?: string; headers?: Readonly<Record<string, string>> }> = {},
): void {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
  respondJson(response, code, status, headers);
}

/**
 * A server of the running test that responds as scripted, for behaviour that no real API server shows on demand. With
 * `isTls` its certificate is that of `server-certificate.ts`.
 */
export async function scriptedApi(
  script: ApiScript,
  { isTls = false }: Readonly<{ isTls?: boolean }> = {},
): Promise<ScriptedApi> {
  const calls: ApiCall[] = [];
  let connections = 0;
  const respond: RequestListener = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://api");
    const body = (await request.toArray()).join("");
    const { method = "", headers } = request;
    const call = { method, path: pathname, query: Object.fromEntries(searchParams), headers, body };
    calls.push(call);
    script(call, response);
  };
  const server = isTls ? createTlsServer({ cert: certificate, key }, respond) : createServer(respond);
  server.on("connection", () => connections++);
  const port = await listenOnFreePort(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `${isTls ? "https" : "http"}://127.0.0.1:${port}`,
    calls,
    connections: () => connections,
    closeIdleConnections: () => server.closeIdleConnections(),
  };
}

/** A kubeconfig for a scripted API, which speaks no TLS. */
export function kubeConfigFor(
  url: string,
  user: Readonly<{ token?: string; username?: string; password?: string }> = {},
): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "hub", server: url, skipTLSVerify: true },
    { name: "somebody", ...user },
  );
  return config;
}
