import type { ServerResponse } from "node:http";
import type { TestCluster } from "../clusters/cluster.ts";
import { type ApiStandIn, startApiStandIn } from "./api-stand-in.ts";

/**
 * The fate of a request: it is refused with 429 because the server is overloaded, it fails with 500 before anything is
 * done, or it is executed and its response is lost.
 */
export type Fault = "too many" | "broken" | "response lost";

/** A stand-in for an API server that responds to some requests with a fault. */
export type FaultyApi = ApiStandIn &
  Readonly<{
    /** Number of requests that received a fault. */
    faults(): number;
  }>;

const refusals = {
  "too many": { code: 429, reason: "TooManyRequests", headers: { "retry-after": "1" } },
  broken: { code: 500, reason: "InternalError", headers: {} },
  "response lost": { code: 500, reason: "InternalError", headers: {} },
} as const;

function refuse(response: ServerResponse, fault: Fault): void {
  const { code, reason, headers } = refusals[fault];
  const status = {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    reason,
    code,
    message: `${fault} in a test`,
  };
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(status));
}

/** Starts a faulty API server. `faultOf` is called before each request is forwarded, and may take its time. */
export async function startFaultyApi(
  cluster: TestCluster,
  faultOf: (method: string, path: string) => Fault | undefined | Promise<Fault | undefined>,
): Promise<FaultyApi> {
  let faults = 0;
  const standIn = await startApiStandIn(cluster, async (asked, response, { forward, passOn }) => {
    const { method = "GET", url = "/" } = asked;
    const fault = await faultOf(method, url);
    if (!fault) return passOn();
    faults++;
    if (fault === "response lost") await (await forward(url)).body.dump();
    refuse(response, fault);
  });
  return { ...standIn, faults: () => faults };
}
