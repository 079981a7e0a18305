import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fieldsOf, objectsOf, parseJson } from "#shared/domain/kubernetes/json/values.ts";
import type { TestCluster } from "../clusters/cluster.ts";
import { type ApiStandIn, startApiStandIn, type Upstream } from "./api-stand-in.ts";

/** A stand-in for an API server whose reads may be those of an older state, while writes go to the present one. */
export type OlderApi = ApiStandIn &
  Readonly<{
    /** Serves reads as they were at this revision, and new watches that never report anything. */
    rewind(revision: number): void;
    /** Serves the present, and new watches that never report anything, bookmarks included. */
    holdWatches(): void;
    /** Serves the present again; clients have to open their watches again. */
    catchUp(): void;
    /** Number of reads of an older state. */
    olderReads(): number;
    /** Resolves after this many more of them. */
    readOlder(times: number): Promise<void>;
  }>;

type Resource = Readonly<{ collection: string; name: string | undefined }>;

const resourcePath = /^(\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/)?[^/]+)(?:\/([^/]+))?$/;

/** Returns the collection of a path, and the object's name in it; undefined for what is no object or list. */
function resourceOf(path: string): Resource | undefined {
  const [, collection, name] = resourcePath.exec(path) ?? [];
  return collection === undefined ? undefined : { collection, name };
}

function send(response: ServerResponse, code: number, content: unknown): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(content));
}

/** Serves a read as it was at a revision: every revision is in etcd until it is compacted. */
async function readAt(
  revision: number,
  { collection, name }: Resource,
  query: URLSearchParams,
  { response, upstream }: Readonly<{ response: ServerResponse; upstream: Upstream }>,
): Promise<void> {
  const exact = new URLSearchParams(query);
  exact.set("resourceVersion", String(revision));
  exact.set("resourceVersionMatch", "Exact");
  if (name !== undefined) exact.set("fieldSelector", `metadata.name=${name}`);
  const { statusCode, body } = await upstream.read(`${collection}?${exact}`);
  const list = await body.text();
  if (statusCode !== 200 || name === undefined) {
    response.writeHead(statusCode).end(list);
    return;
  }
  const { apiVersion, kind, items } = fieldsOf(parseJson(list));
  const [found] = objectsOf(items);
  if (found) return send(response, 200, { apiVersion, kind: String(kind).replace(/List$/, ""), ...found });
  const [reason, message] = ["NotFound", `${name} not found at ${revision}`];
  send(response, 404, { apiVersion: "v1", kind: "Status", status: "Failure", reason, code: 404, message });
}

/** Returns the body of a write that no version guards any more: an update has the present one. */
async function unguarded(asked: IncomingMessage, path: string, { read }: Upstream): Promise<string> {
  const sent = fieldsOf(parseJson(await text(asked)));
  if (asked.method === "DELETE") return JSON.stringify({ ...sent, preconditions: {} });
  if (asked.method !== "PUT") return JSON.stringify(sent);
  const present = fieldsOf(parseJson(await (await read(path.replace(/\/status$/, ""))).body.text()));
  const { resourceVersion } = fieldsOf(present.metadata);
  return JSON.stringify({ ...sent, metadata: { ...fieldsOf(sent.metadata), resourceVersion } });
}

/**
 * Starts a stand-in that can serve an older state. With `isUnguarded` writes lose on their way what guards them: the
 * version that was read, and the preconditions of a deletion. It shows what a test would notice.
 */
export async function startOlderApi(
  cluster: TestCluster,
  { isUnguarded = false }: Readonly<{ isUnguarded?: boolean }> = {},
): Promise<OlderApi> {
  let revision: number | undefined;
  let isHolding = false;
  let reads = 0;
  const waiting = new Set<() => void>();
  const held = new Set<ServerResponse>();
  const standIn = await startApiStandIn(cluster, async (asked, response, upstream) => {
    const { pathname, searchParams } = new URL(asked.url ?? "/", cluster.server);
    const resource = resourceOf(pathname);
    if (asked.method !== "GET")
      return upstream.passOn(isUnguarded ? await unguarded(asked, pathname, upstream) : undefined);
    if (!resource || searchParams.has("continue")) return upstream.passOn();
    const isHeld = searchParams.has("watch") && (isHolding || revision !== undefined);
    if (revision !== undefined) {
      reads++;
      for (const wake of waiting) wake();
      if (!isHeld) return readAt(revision, resource, searchParams, { response, upstream });
    }
    if (!isHeld) return upstream.passOn();
    held.add(response);
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
  });
  return {
    ...standIn,
    rewind(older) {
      revision = older;
    },
    holdWatches() {
      isHolding = true;
    },
    catchUp() {
      revision = undefined;
      isHolding = false;
      for (const response of held) response.destroy();
      held.clear();
    },
    olderReads: () => reads,
    async readOlder(times) {
      const enough = reads + times;
      await new Promise<void>((resolve) => {
        const wake = () => {
          if (reads < enough) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    },
  };
}
