import { readResponse } from "../../../domain/kubernetes/json/nesting.ts";
import { fieldsOf } from "../../../domain/kubernetes/json/values.ts";
import type { Kind, KubernetesObject } from "../../../domain/kubernetes/object.ts";
import { HubError, type WatchOptions } from "../../../ports/hub.ts";
import { isIdleTimeout } from "../../network/network-errors.ts";
import { networkError, statusError } from "./api-error.ts";
import type { Connection, StreamOptions } from "./connection.ts";
import { asObject, selectorsOf } from "./list-pages.ts";
import { collectionPath } from "./paths.ts";

const asMetadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

/** One line of a watch's response. A `BOOKMARK` only reports which version the watch has reached. */
export type WatchEvent =
  | Readonly<{ type: "ADDED" | "MODIFIED" | "DELETED"; object: KubernetesObject }>
  | Readonly<{ type: "BOOKMARK"; resourceVersion: string }>;

/** Returns the seconds after which the server ends a watch. They are random, so that watches end at different times. */
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
  // Text after the last line end is an incomplete event, which the next watch gets again.
}

function eventOf(line: string, kind: Kind, what: string): WatchEvent {
  const value = readResponse(line);
  const { type, object } = fieldsOf(value);
  if (type === "ERROR") throw statusError(object, what) ?? notAnEvent(what);
  if (type === "BOOKMARK") {
    const { resourceVersion } = fieldsOf(fieldsOf(object).metadata);
    if (typeof resourceVersion !== "string") throw notAnEvent(what);
    return { type, resourceVersion };
  }
  const changed = asObject(object, kind);
  if (!changed || (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")) throw notAnEvent(what);
  return { type, object: changed };
}

function notAnEvent(what: string): HubError {
  return new HubError("Unavailable", `${what}: the hub sent an invalid watch event`);
}

/** Yields the events after a version. Throws a `HubError`, for which `isExpired` is true if the version is too old. */
export async function* watchEvents(
  connection: Connection,
  kind: Kind,
  {
    resourceVersion,
    metadataOnly,
    idleTimeoutMs,
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
    { idleTimeoutMs, signal },
  );
  try {
    for await (const line of linesOf(body)) if (line) yield eventOf(line, kind, what);
  } catch (error) {
    if (!isIdleTimeout(error)) throw networkError(error, what);
  }
}
