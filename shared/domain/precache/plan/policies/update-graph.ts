import { isRecord } from "../../../json/values.ts";

/** Identifies a graph: a Cincinnati server and a channel, as in ClusterVersion. */
export type GraphQuery = Readonly<{ upstream: string; channel: string }>;

/** A release of an update graph and its image. */
export type GraphNode = Readonly<{ version: string; payload: string }>;

/** The response for a channel: its releases, or why there is no graph, as a sentence without a period. */
export type GraphResponse =
  | Readonly<{ ok: true; nodes: readonly GraphNode[] }>
  | Readonly<{ ok: false; message: string }>;

/** Returns the response for a query; `notQueried` when it was not queried yet. */
export type GraphLookup = (query: GraphQuery) => GraphResponse;

/** Placeholder for a missing response: planning with it shows which graphs to query. */
export const notQueried: GraphResponse = { ok: false, message: "the update graph was not queried yet" };

/** Returns the URL of a graph, for messages and lookups; TALM queries exactly this URL. */
export function graphUrl({ upstream, channel }: GraphQuery): string {
  return `${upstream}?channel=${channel}`;
}

/** Reads Cincinnati JSON; nodes without version or payload are ignored. */
export function parseGraph(text: string): GraphResponse {
  let graph: unknown;
  try {
    graph = JSON.parse(text);
  } catch {
    // The message of JSON.parse quotes the text, which may be a whole page.
    return { ok: false, message: `unable to unmarshal body: ${text.length} characters that are not JSON` };
  }
  if (!isRecord(graph)) return { ok: false, message: "unable to unmarshal body: the JSON is not an object" };
  const nodes = Array.isArray(graph.nodes) ? graph.nodes : [];
  return {
    ok: true,
    nodes: nodes.flatMap((node: unknown) => {
      const { version, payload } = isRecord(node) ? node : {};
      return typeof version === "string" && typeof payload === "string" && payload !== ""
        ? [{ version, payload }]
        : [];
    }),
  };
}

/** Returns the image of a version, or why there is none. */
export function releaseImage(
  response: GraphResponse,
  { version, ...query }: GraphQuery & Readonly<{ version: string }>,
): Readonly<{ ok: true; image: string }> | Readonly<{ ok: false; message: string }> {
  if (!response.ok) return response;
  const node = response.nodes.find((one) => one.version === version);
  if (node) return { ok: true, image: node.payload };
  return {
    ok: false,
    message: `unable to find version ${version} on update graph on url ${graphUrl(query)}`,
  };
}
