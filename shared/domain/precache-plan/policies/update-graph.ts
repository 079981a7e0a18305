import { readJson } from "../../kubernetes/json/nesting.ts";
import {
  fieldsOf,
  isRecord,
  listOf,
  objectsOf,
  textOf,
  type UnknownRecord,
} from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";

/** Identifies a release in an update graph: Cincinnati server, channel and version, as in a ClusterVersion. */
export type GraphQuery = Readonly<{ upstream: string; channel: string; version: string }>;

/**
 * An update graph's response about a release: its image, or undefined if the graph lacks the version. Without a graph,
 * `message` is the reason, a sentence without a period.
 */
export type GraphResponse =
  | Readonly<{
      ok: true;
      image: string | undefined;
      /** The versions with an update to the release; undefined if the graph lists no updates at all. */
      from?: readonly string[];
    }>
  | Readonly<{ ok: false; message: string }>;

/** Returns the response to a query; `notQueried` if there is none yet. */
export type GraphLookup = (query: GraphQuery) => GraphResponse;

/** Placeholder for a response that is still missing: planning with it shows which graphs to query. */
export const notQueried: GraphResponse = { ok: false, message: "the update graph was not queried yet" };

/** The longest accepted image in characters, far above any usable reference. */
const maxImageLength = 4096;

/** Returns the URL of a graph as TALM queries it, without credentials, for messages. */
export function graphUrl({ upstream, channel }: GraphQuery): string {
  return sentence`${upstream}?channel=${channel}`;
}

/** Returns a key that identifies a query. The key may contain a credential and must never be shown. */
export function graphKey({ upstream, channel, version }: GraphQuery): string {
  return JSON.stringify([upstream, channel, version]);
}

/** Returns the versions with an update to `version`, including updates with known risks. */
function versionsBefore({ nodes, edges, conditionalEdges }: UnknownRecord, version: string) {
  const versions = listOf(nodes).map((node) => textOf(fieldsOf(node).version));
  const pairs = [
    ...listOf(edges).map((edge) => listOf(edge).map((index) => versions[Number(index)])),
    ...objectsOf(conditionalEdges).flatMap((group) =>
      objectsOf(group.edges).map(({ from, to }) => [textOf(from), textOf(to)]),
    ),
  ];
  return pairs.flatMap(([from, to]) => (to === version && from !== undefined ? [from] : []));
}

/** Reads a version's image, and the versions with an update to it, from Cincinnati JSON. Incomplete nodes are skipped. */
export function parseGraph(text: string, version: string): GraphResponse {
  let graph: unknown;
  try {
    graph = readJson(text);
  } catch {
    return { ok: false, message: `unable to unmarshal body: ${text.length} characters that are not JSON` };
  }
  if (!isRecord(graph)) return { ok: false, message: "unable to unmarshal body: the JSON is not an object" };
  const hasUpdates = [graph.edges, graph.conditionalEdges].some((edges) => listOf(edges).length > 0);
  const from = hasUpdates ? { from: versionsBefore(graph, version) } : {};
  for (const node of objectsOf(graph.nodes)) {
    if (node.version !== version) continue;
    const { payload } = node;
    if (typeof payload === "string" && payload !== "" && payload.length <= maxImageLength)
      return { ok: true, image: payload, ...from };
  }
  return { ok: true, image: undefined };
}

/** Returns the image in a response, or why there is none. */
export function releaseImage(
  response: GraphResponse,
  query: GraphQuery,
): Readonly<{ ok: true; image: string }> | Readonly<{ ok: false; message: string }> {
  if (!response.ok) return response;
  if (response.image !== undefined) return { ok: true, image: response.image };
  return {
    ok: false,
    message: sentence`unable to find version ${query.version} on update graph on url ${graphUrl(query)}`,
  };
}
