import { scriptedApi } from "./scripted-api.ts";

export type ScriptedResponse = Readonly<{ status?: number; headers?: Record<string, string>; body: string }>;

/**
 * An HTTP server of the running test with scripted responses; the last one is repeated. `requests` holds the received
 * bodies.
 */
export async function scriptedServer(
  ...script: readonly ScriptedResponse[]
): Promise<Readonly<{ endpoint: string; requests: string[] }>> {
  const requests: string[] = [];
  const { url } = await scriptedApi(({ body }, response) => {
    const { status = 200, headers, body: content } = script[requests.length] ?? script.at(-1) ?? { body: "" };
    requests.push(body);
    response.writeHead(status, headers).end(content);
  });
  return { endpoint: url, requests };
}
