import { isRecord } from "../../../json/values.ts";

/** Which graph: a Cincinnati server and a channel, as ClusterVersion has them. */
export type GraphQuery = Readonly<{ upstream: string; channel: string }>;

/** A release of an update graph and its image. */
export type GraphNode = Readonly<{ version: string; payload: string }>;

/** What a server said about a channel: its releases, or why there is no graph, as a sentence without a full stop. */
export type GraphAnswer =
  | Readonly<{ ok: true; nodes: readonly GraphNode[] }>
  | Readonly<{ ok: false; message: string }>;

/** Looks an answer up; `unasked` while there is none. */
export type GraphLookup = (query: GraphQuery) => GraphAnswer;

/** Stands for an answer that is not there yet: planning with it tells which graphs have to be asked for. */
export const unasked: GraphAnswer = { ok: false, message: "the update graph was not asked yet" };

/** How a graph is called in messages; TALM asks at exactly this URL. */
export function graphUrl({ upstream, channel }: GraphQuery): string {
  return `${upstream}?channel=${channel}`;
}

/** Reads Cincinnati JSON; nodes without version or payload are no releases. */
export function parseGraph(text: string): GraphAnswer {
  let graph: unknown;
  try {
    graph = JSON.parse(text);
  } catch {
    // What JSON.parse says quotes the text, which may be a whole page.
    return { ok: false, message: `unable to unmarshal body: ${text.length} characters that are no JSON` };
  }
  if (!isRecord(graph)) return { ok: false, message: "unable to unmarshal body: the JSON is no object" };
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

/** The image of a version, or why there is none. */
export function releaseImage(
  answer: GraphAnswer,
  { version, ...query }: GraphQuery & Readonly<{ version: string }>,
): Readonly<{ ok: true; image: string }> | Readonly<{ ok: false; message: string }> {
  if (!answer.ok) return answer;
  const node = answer.nodes.find((one) => one.version === version);
  if (node) return { ok: true, image: node.payload };
  return {
    ok: false,
    message: `unable to find version ${version} on update graph on url ${graphUrl(query)}`,
  };
}
