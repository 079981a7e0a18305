import { splitReference } from "../../images/image-reference.ts";
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

/** A query about a release: the Cincinnati server, the channel and the version, as in ClusterVersion; the image if known. */
export type GraphQuery = Readonly<{ upstream: string; channel: string; version: string; image?: string }>;

/**
 * An update graph's response about a release: its image, or undefined if the graph lacks the version. Without a graph,
 * `message` is the reason, a sentence without a period.
 */
export type GraphResponse =
  | Readonly<{
      ok: true;
      image: string | undefined;
      /** The version of the query's image; undefined if the graph does not contain that image. */
      imageVersion?: string | undefined;
      /** The versions with an update to the release; undefined when the graph lists no updates. */
      from?: readonly string[];
    }>
  | Readonly<{ ok: false; message: string }>;

/** Returns the response to a query; `notQueried` if there is none yet. */
export type GraphLookup = (query: GraphQuery) => GraphResponse;

/** Placeholder for a response that is still missing: planning with it shows which graphs to query. */
export const notQueried: GraphResponse = { ok: false, message: "the update graph was not queried yet" };

/** The longest accepted image reference, in characters; far longer than any that could be pulled. */
const maxImageLength = 4096;

/** Returns the URL of a graph as TALM queries it, without credentials, for messages. */
export function graphUrl({ upstream, channel }: GraphQuery): string {
  return sentence`${upstream}?channel=${channel}`;
}

/** Returns a key that identifies a query. It may contain a credential: never show it. */
export function graphKey({ upstream, channel, version, image }: GraphQuery): string {
  return JSON.stringify([upstream, channel, version, image || undefined]);
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

/** Reads a release, and the versions with an update to it, from Cincinnati JSON. Skips incomplete nodes. */
export function parseGraph(
  text: string,
  { version, image }: Pick<GraphQuery, "version" | "image">,
): GraphResponse {
  let graph: unknown;
  try {
    graph = readJson(text);
  } catch {
    return { ok: false, message: `unable to unmarshal body: ${text.length} characters that are not JSON` };
  }
  if (!isRecord(graph)) return { ok: false, message: "unable to unmarshal body: the JSON is not an object" };
  const hasUpdates = [graph.edges, graph.conditionalEdges].some((edges) => listOf(edges).length > 0);
  const releases = objectsOf(graph.nodes).flatMap((node) => {
    const payload = textOf(node.payload) ?? "";
    const isUsable = payload !== "" && payload.length <= maxImageLength;
    return isUsable ? [{ payload, version: textOf(node.version) }] : [];
  });
  const { digest } = splitReference(image ?? "");
  const ofImage = digest && releases.find(({ payload }) => splitReference(payload).digest === digest);
  return {
    ok: true,
    image: releases.find((one) => one.version === version)?.payload,
    imageVersion: ofImage ? ofImage.version : undefined,
    ...(hasUpdates ? { from: versionsBefore(graph, version) } : {}),
  };
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
