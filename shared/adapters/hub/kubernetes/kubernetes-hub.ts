import type { KubeConfig } from "@kubernetes/client-node";
import {
  byNamespaceAndName,
  displayName,
  type Kind,
  type KubernetesObject,
  kindOf,
  type ObjectReference,
  referenceTo,
} from "../../../domain/kubernetes/object.ts";
import { type Hub, HubError, type ListOptions } from "../../../ports/hub.ts";
import type { Environment } from "../../settings/environment.ts";
import { ApiError, isAbsent } from "./api-error.ts";
import { type ApiLimits, type ApiRequest, connect } from "./connection.ts";
import type { LoadKubeConfig } from "./credentials.ts";
import { type HubInspection, inspection } from "./inspection.ts";
import { type KindWatchOptions, type WatchError, watchKind } from "./kind-watch.ts";
import { asObject, listPages } from "./list-pages.ts";
import { collectionPath, objectPath, type Requested } from "./paths.ts";

export type KubernetesHub = Hub &
  HubInspection &
  Readonly<{
    /** Returns the time at which the login ends. Undefined if unknown, or if the login is renewed automatically. */
    loginEnd(): Promise<Date | undefined>;
    /** Returns a sentence if the hub's last response was missing, rejected the login, or was 502, 503 or 504. */
    problem(): string | undefined;
    close(): void;
  }>;

export type KubernetesHubOptions = Readonly<{
  /** The CloudEvents source, by default the API server's URL. */
  id?: string;
  userAgent?: string;
  /** The timeout of one request. Watches have no timeout. */
  requestTimeoutMs?: number;
  limits?: ApiLimits;
  /** Reads the kubeconfig again. Called after the server rejected the credentials, which may have been renewed. */
  reload?: LoadKubeConfig;
  /** May have HTTPS_PROXY and NO_PROXY. A `proxy-url` in the kubeconfig takes precedence over them. */
  environment?: Environment;
  onRequest?: ((requested: Requested) => void) | undefined;
  onWatchError?: (error: WatchError) => void;
  watch?: Partial<Pick<KindWatchOptions, "idleTimeoutMs" | "absentKindMs" | "retryMs" | "maxRetryAfterMs">>;
}>;

const watchDefaults = {
  // A server sends a bookmark about once a minute, so this is the time of two bookmarks and a margin.
  idleTimeoutMs: 130_000,
  absentKindMs: 15_000,
  retryMs: { first: 500, max: 20_000 },
  // Shorter than `watchFailureMs`: during a longer wait the forwarder would send heartbeats as if the watch worked.
  maxRetryAfterMs: 60_000,
} as const;

type Write = "dry-run" | "create" | "update" | "update the status of" | "delete";

function target(verb: Write, reference: ObjectReference) {
  const what = `${verb} ${displayName(reference)}`;
  const kind = kindOf(reference);
  if (!kind) throw new HubError("NotFound", `${what}: no such kind in ${reference.apiVersion}`);
  const path = objectPath(kind, reference);
  if (!path) throw new HubError("Invalid", `${what}: the object has no namespace, or an invalid name`);
  return { what, kind, path };
}

function dryRunOf(object: KubernetesObject, stored: KubernetesObject | undefined): ApiRequest {
  const { what, kind, path } = target("dry-run", referenceTo(object));
  const { resourceVersion: _, ...metadata } = object.metadata;
  const version = stored?.metadata.resourceVersion;
  const place = version
    ? ({ method: "PUT", path } as const)
    : ({ method: "POST", path: collectionPath(kind, metadata.namespace) } as const);
  const body = { ...object, metadata: version ? { ...metadata, resourceVersion: version } : metadata };
  return { what, ...place, body, query: { dryRun: "All" } };
}

/** Returns a Kubernetes API server as a hub. If it rejects the credentials, `reload` is called once. */
export function kubernetesHub(config: KubeConfig, options: KubernetesHubOptions = {}): KubernetesHub {
  const {
    environment = {},
    userAgent = "hubrelay",
    requestTimeoutMs = 30_000,
    reload,
    limits,
    onRequest,
  } = options;
  const settings = { userAgent, requestTimeoutMs, reload, environment, limits, onRequest };
  const connection = connect(config, settings);

  async function sendFor(kind: Kind, request: ApiRequest): Promise<KubernetesObject> {
    const object = asObject(await connection.send(request), kind);
    if (!object)
      throw new HubError("Unavailable", `${request.what}: the response is not an object of a Kubernetes API`);
    return object;
  }

  async function put(
    verb: "update" | "update the status of",
    object: KubernetesObject,
    subresource: "" | "/status",
  ): Promise<KubernetesObject> {
    const { what, kind, path } = target(verb, referenceTo(object));
    if (!object.metadata.resourceVersion)
      // Built-in kinds would accept an update without a version, and overwrite any version.
      throw new HubError("Invalid", `${what}: metadata.resourceVersion must be specified for an update`);
    return sendFor(kind, { what, method: "PUT", path: `${path}${subresource}`, body: object });
  }

  return {
    ...inspection(connection),

    id: options.id ?? connection.server,

    async get(kind, name, namespace) {
      const path = objectPath(kind, { namespace, name });
      if (!path) return undefined;
      const what = `get ${displayName({ kind: kind.kind, name, ...(namespace ? { namespace } : {}) })}`;
      try {
        return await sendFor(kind, { what, method: "GET", path });
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async list(kind: Kind, { keep = (object) => object, ...listOptions }: ListOptions = {}) {
      const objects: KubernetesObject[] = [];
      try {
        for await (const page of listPages(connection, kind, listOptions)) {
          if (page.isFirst) objects.length = 0;
          for (const object of page.objects) objects.push(keep(object));
        }
      } catch (error) {
        if (isAbsent(error)) return [];
        throw error;
      }
      return objects.sort(byNamespaceAndName);
    },

    async dryRun(object, stored) {
      try {
        await connection.send(dryRunOf(object, stored));
        return [];
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "Invalid") throw error;
        const { causes, message } = error;
        return causes.length > 0 ? causes : [{ field: "", reason: "Invalid", message }];
      }
    },

    async create(object) {
      const { what, kind } = target("create", referenceTo(object));
      if (object.metadata.resourceVersion)
        throw new HubError("Invalid", `${what}: metadata.resourceVersion must not be set on a new object`);
      const path = collectionPath(kind, kind.namespaced ? object.metadata.namespace : undefined);
      return sendFor(kind, { what, method: "POST", path, body: object });
    },

    update: (object) => put("update", object, ""),

    updateStatus: (object) => put("update the status of", object, "/status"),

    async delete(reference) {
      const { what, path } = target("delete", reference);
      const { uid, resourceVersion } = reference;
      const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      const body = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: "Background",
        preconditions,
      };
      await connection.send({ what, method: "DELETE", path, body });
    },

    async *watch(kind, signal, { metadataOnly = false, ...selection } = {}) {
      const { onWatchError = () => undefined, watch } = options;
      const settings = { ...watchDefaults, ...watch, ...selection, metadataOnly, onError: onWatchError };
      // When the signal aborts, a page of a list may still have changes. They are not yielded.
      for await (const change of watchKind(connection, kind, signal, settings)) {
        if (signal.aborted) return;
        yield change;
      }
    },

    time: connection.time,

    loginEnd: connection.loginEnd,
    problem: connection.problem,
    close: connection.close,
  };
}
