import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { collectionPath } from "#shared/adapters/hub/kubernetes/paths.ts";
import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";
import { HubError, type ObjectChange } from "#shared/ports/hub.ts";

/** Returns the kubeconfig of a server that uses no TLS and does not check the user. */
export const kubeConfigAt = (server: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "hub",
    contexts: [{ name: "hub", context: { cluster: "hub", user: "bench" } }],
    clusters: [{ name: "hub", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "bench", user: { token: "bench" } }],
  });

/** A hub in memory that other processes reach as a Kubernetes API. */
export type MemoryApi = Readonly<{ hub: MemoryHub; kubeConfig: string; stop(): void }>;

type Target = Readonly<{ kind: Kind; namespace?: string; name?: string; isStatus: boolean }>;

const statusOf: Readonly<Partial<Record<HubError["code"], number>>> = {
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Invalid: 422,
};
const byRoot = new Map(Object.values(kinds).map((kind) => [collectionPath(kind), kind]));
const withNamespace = /^(\/apis?\/.+?)\/namespaces\/([^/]+)\/([^/]+)(?:\/(.+))?$/;
const withoutNamespace = /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\/([^/]+)(?:\/(.+))?$/;

function targetOf(path: string): Target | undefined {
  const [, root, namespace, plural, inNamespace] = withNamespace.exec(path) ?? [];
  const [, clusterRoot, clusterPlural, inCluster] = withoutNamespace.exec(path) ?? [];
  const kind = byRoot.get(namespace ? `${root}/${plural}` : `${clusterRoot}/${clusterPlural}`);
  if (!kind) return undefined;
  const [name, subresource] = (namespace ? inNamespace : inCluster)?.split("/") ?? [];
  return {
    kind,
    isStatus: subresource === "status",
    ...(namespace ? { namespace } : {}),
    ...(name ? { name: decodeURIComponent(name) } : {}),
  };
}

function selection(query: URLSearchParams): (object: KubernetesObject) => boolean {
  const [, name] = /^metadata\.name=(.+)$/.exec(query.get("fieldSelector") ?? "") ?? [];
  const terms = (query.get("labelSelector") ?? "").split(",").filter((term) => term !== "");
  return ({ metadata }) => {
    const labels = new Map(Object.entries(metadata.labels ?? {}));
    const holds = (term: string) => {
      const [label = "", value] = term.split("=");
      if (label.startsWith("!")) return !labels.has(label.slice(1));
      return value === undefined ? labels.has(label) : labels.get(label) === value;
    };
    return (name === undefined || metadata.name === name) && terms.every(holds);
  };
}

const notFound = new HubError("NotFound", "there is no such object");
const versionOf = ({ metadata }: KubernetesObject) => Number(metadata.resourceVersion);
/** The number of changes that are kept: more than occur between a list and the watch that follows it. */
const keptChanges = 20_000;
const typeOf = { add: "ADDED", update: "MODIFIED", delete: "DELETED" } as const;

/** Starts the API on this machine. The caller creates objects through `hub`. */
export async function startMemoryApi(): Promise<MemoryApi> {
  const watchers = new Set<(change: ObjectChange) => void>();
  const recent: ObjectChange[] = [];
  let version = 0;
  const hub = memoryHub({
    id: "urn:bench:hub",
    now: () => new Date(),
    onChange(change) {
      version = versionOf(change.object);
      recent.push(change);
      if (recent.length > 2 * keptChanges) recent.splice(0, keptChanges);
      for (const watcher of watchers) watcher(change);
    },
  });

  /** The objects of the last list, kept so that all pages of the list show the same state. */
  let listed: Readonly<{ of: string; objects: readonly KubernetesObject[] }> = { of: "", objects: [] };

  const send = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

  function watch({ kind }: Target, query: URLSearchParams, isMetadata: boolean, response: ServerResponse) {
    const isSelected = selection(query);
    const since = Number(query.get("resourceVersion"));
    const report = ({ verb, object }: ObjectChange) => {
      if (object.kind !== kind.kind || object.apiVersion !== kind.apiVersion || !isSelected(object)) return;
      const shown = isMetadata ? { metadata: object.metadata } : object;
      response.write(`${JSON.stringify({ type: typeOf[verb], object: shown })}\n`);
    };
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    for (const change of recent) if (versionOf(change.object) > since) report(change);
    watchers.add(report);
    response.once("close", () => watchers.delete(report));
  }

  function list({ kind, namespace }: Target, query: URLSearchParams, isMetadata: boolean) {
    const selectors = [query.get("labelSelector"), query.get("fieldSelector")];
    const of = [version, collectionPath(kind, namespace), ...selectors].join(" ");
    if (listed.of !== of) {
      const isInScope = ({ metadata }: KubernetesObject) => !namespace || metadata.namespace === namespace;
      listed = { of, objects: hub.all(kind).filter(isInScope).filter(selection(query)) };
    }
    const { objects } = listed;
    const from = Number(query.get("continue") ?? 0);
    const to = Math.min(objects.length, from + Number(query.get("limit") ?? objects.length));
    const page = objects.slice(from, to);
    const items = isMetadata ? page.map(({ metadata }) => ({ metadata })) : page;
    const metadata = {
      resourceVersion: String(version),
      ...(to < objects.length ? { continue: String(to) } : {}),
    };
    return { apiVersion: kind.apiVersion, kind: `${kind.kind}List`, metadata, items };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://hub");
    const target = targetOf(pathname);
    if (!target) throw notFound;
    const { kind, namespace, name = "", isStatus } = target;
    const isMetadata = request.headers.accept?.includes("PartialObjectMetadata") ?? false;
    switch (request.method) {
      case "GET": {
        if (searchParams.has("watch")) return watch(target, searchParams, isMetadata, response);
        if (!name) return send(response, 200, list(target, searchParams, isMetadata));
        const found = hub.find(kind, name, namespace);
        if (!found) throw notFound;
        return send(response, 200, found);
      }
      case "DELETE":
        await hub.delete({ ...kind, name, ...(namespace ? { namespace } : {}) });
        return send(response, 200, {});
      default: {
        const object = tryParseManifestObject(await json(request));
        if (!object) throw new HubError("Invalid", "the body is no object");
        if (request.method === "POST") return send(response, 201, await hub.create(object));
        return send(response, 200, await (isStatus ? hub.updateStatus(object) : hub.update(object)));
      }
    }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      const reason = error instanceof HubError ? error.code : "InternalError";
      const code = statusOf[reason] ?? 500;
      send(response, code, {
        apiVersion: "v1",
        kind: "Status",
        status: "Failure",
        reason,
        code,
        message: messageOf(error),
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    hub,
    kubeConfig: kubeConfigAt(`http://127.0.0.1:${port}`),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
