import { isRecord } from "../../../domain/json/values.ts";
import type { Kind } from "../../../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../../../domain/kubernetes/object.ts";
import { HubError, type WatchOptions } from "../../../ports/hub.ts";
import { isSilence } from "../../network/network-trouble.ts";
import { statusError } from "./api-error.ts";
import { asObject } from "./api-object.ts";
import type { Connection, StreamOptions } from "./connection.ts";
import { selectorsOf } from "./list-pages.ts";
import { networkError } from "./network-error.ts";
import { collectionPath } from "./paths.ts";

const asMetadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

/** A line of a watch. A bookmark tells only how far the watch has come. */
export type WatchEvent =
  | Readonly<{ type: "ADDED" | "MODIFIED" | "DELETED"; object: KubernetesObject }>
  | Readonly<{ type: "BOOKMARK"; resourceVersion: string }>;

/** Seconds after which the server ends a watch; spread, so that all watches do not come back at once. */
function lifetimeSeconds(): string {
  return String(300 + Math.floor(Math.random() * 300));
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for await (const chunk of body) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    parts.push(first);
    for (const other of others) {
      yield parts.splice(0).join("");
      parts.push(other);
    }
  }
  // A line without its end is half an event: the next watch tells it again.
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the parser's own message would quote the line
  }
}

function eventOf(line: string, kind: Kind, what: string): WatchEvent {
  const value = parsed(line);
  const { type, object } = isRecord(value) ? value : {};
  if (type === "ERROR") throw statusError(object, what) ?? notAnEvent(what);
  if (type === "BOOKMARK") {
    const { resourceVersion } = isRecord(object) && isRecord(object.metadata) ? object.metadata : {};
    if (typeof resourceVersion !== "string") throw notAnEvent(what);
    return { type, resourceVersion };
  }
  const changed = asObject(object, kind);
  if (!changed || (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")) throw notAnEvent(what);
  return { type, object: changed };
}

function notAnEvent(what: string): HubError {
  return new HubError("Unavailable", `${what}: the hub sent something that is no watch event`);
}

/**
 * The events of a kind after a version, until the server ends the watch or falls silent: even a quiet server
 * sends a bookmark every minute or so. Throws a `HubError`; `isExpired` when the version is too old.
 */
export async function* watchEvents(
  connection: Connection,
  kind: Kind,
  {
    resourceVersion,
    metadataOnly,
    silenceMs,
    signal,
    ...selection
  }: StreamOptions & WatchOptions & Readonly<{ resourceVersion: string; metadataOnly: boolean }>,
): AsyncGenerator<WatchEvent, void, void> {
  const what = `watch ${kind.kind}`;
  const body = await connection.stream(
    {
      what,
      method: "GET",
      path: collectionPath(kind),
      query: {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion,
        timeoutSeconds: lifetimeSeconds(),
        ...selectorsOf(selection),
      },
      ...(metadataOnly ? { accept: `${asMetadata},application/json` } : {}),
    },
    { silenceMs, signal },
  );
  try {
    for await (const line of linesOf(body)) if (line) yield eventOf(line, kind, what);
  } catch (error) {
    if (!isSilence(error)) throw networkError(error, what);
  }
}
