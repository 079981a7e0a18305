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

/** A query about a release. The fields are as in ClusterVersion; `upstream` is the URL of the Cincinnati server. */
export type GraphQuery = Readonly<{ upstream: string; channel: string; version: string; image?: string }>;

/**
 * What an update graph says about a release. `image` is undefined for an unknown version. Without a graph, `message`
 * is the reason, a sentence without a period.
 */
export type GraphResponse =
  | Readonly<{
      ok: true;
      image: string | undefined;
      /** The version of the query's image; undefined if the graph does not contain the image. */
      imageVersion?: string | undefined;
      /** The versions from which clusters can be updated to the release; undefined if the graph lists no updates. */
      from?: readonly string[];
    }>
  | Readonly<{ ok: false; message: string }>;

/** Returns the response to a query; `notQueried` if the query was not made yet. */
export type GraphLookup = (query: GraphQuery) => GraphResponse;

/** The response to a query that was not made yet. Planning with it shows which queries are needed. */
export const notQueried: GraphResponse = { ok: false, message: "the update graph was not queried yet" };

const maxImageLength = 4096;

/** Returns the URL at which TALM queries a graph, but without credentials. It is for messages. */
export function graphUrl({ upstream, channel }: GraphQuery): string {
  return sentence`${upstream}?channel=${channel}`;
}

/** Returns a key that identifies a query. Never show the key, because it may contain credentials. */
export function graphKey({ upstream, channel, version, image }: GraphQuery): string {
  return JSON.stringify([upstream, channel, version, image || undefined]);
}

/** Returns the versions with an update to `version`, even with known risks (`conditionalEdges`). */
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

/** Returns what a graph in Cincinnati's JSON says about a release. Incomplete nodes are skipped. */
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

/** Returns the image in a response; if the response has no image, returns the reason. */
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
