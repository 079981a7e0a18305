import { fieldsOf, isRecord } from "../../../domain/kubernetes/json/values.ts";
import type { Kind, KubernetesObject, ObjectMeta } from "../../../domain/kubernetes/object.ts";
import { HubError, type ListOptions, type WatchOptions } from "../../../ports/hub.ts";
import { isExpired } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import { collectionPath } from "./paths.ts";

const identity = ["namespace", "uid", "resourceVersion"] as const;

/** Checks only the fields that identify the object, since the API server has validated the others. */
function isObjectMeta(value: unknown): value is ObjectMeta {
  if (!isRecord(value) || typeof value.name !== "string") return false;
  return identity.every((field) => value[field] === undefined || typeof value[field] === "string");
}

/** Returns an object of this kind; undefined if the value is none. Items of some lists lack kind and apiVersion. */
export function asObject(value: unknown, { apiVersion, kind }: Kind): KubernetesObject | undefined {
  if (!isRecord(value) || !isObjectMeta(value.metadata)) return undefined;
  return { ...value, apiVersion, kind, metadata: value.metadata };
}

const pageSize = 500;
const maxRestarts = 2;
const asMetadata = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

/** If `isFirst`, the list starts, or starts again, with this page; earlier pages are no longer valid. */
type Page = Readonly<{
  isFirst: boolean;
  objects: readonly KubernetesObject[];
  /** The version of the whole list, from which a watch can start. */
  resourceVersion: string;
}>;

type PageOptions = ListOptions & WatchOptions & Readonly<{ signal?: AbortSignal }>;

/** Returns the API's selectors for labels, such as `tier=gold,site,!done`, and for the name. */
export function selectorsOf({
  labels = {},
  withLabel,
  withoutLabel,
  name,
}: ListOptions & WatchOptions): Readonly<Record<string, string>> {
  const equal = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  const terms = [...equal, ...(withLabel ? [withLabel] : []), ...(withoutLabel ? [`!${withoutLabel}`] : [])];
  return {
    ...(terms.length > 0 ? { labelSelector: terms.join(",") } : {}),
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
  };
}

/** Yields all objects of a kind in pages. If the list's version expires before the last page, the list starts again. */
export async function* listPages(
  connection: Connection,
  kind: Kind,
  { namespace, metadataOnly = false, fromCache = false, signal, ...selection }: PageOptions = {},
): AsyncGenerator<Page, void, void> {
  const what = `list ${kind.kind}`;
  const { listPages: maxPages, listMs } = connection.limits;
  const deadline = AbortSignal.timeout(listMs);
  const request = async (query: Readonly<Record<string, string>>) =>
    pageOf(
      await connection.send({
        what,
        method: "GET",
        path: collectionPath(kind, kind.namespaced ? namespace : undefined),
        query: { ...selectorsOf(selection), ...query },
        ...(metadataOnly ? { accept: `${asMetadata},application/json` } : {}),
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      }),
      kind,
      what,
    );

  const first: Readonly<Record<string, string>> = fromCache ? { resourceVersion: "0" } : {};
  let continueFrom = "";
  let restarts = 0;
  for (let pages = 0; ; pages++) {
    if (pages === maxPages)
      throw new HubError("Unavailable", `${what}: the list does not end after ${maxPages} pages`);
    const isFirst = continueFrom === "";
    try {
      const { objects, resourceVersion, token } = await request({
        limit: String(pageSize),
        ...(isFirst ? first : { continue: continueFrom }),
      });
      yield { isFirst, objects, resourceVersion };
      if (!token) return;
      continueFrom = token;
    } catch (error) {
      if (isFirst || !isExpired(error) || restarts++ === maxRestarts) throw error;
      continueFrom = "";
    }
  }
}

function pageOf(body: unknown, kind: Kind, what: string) {
  const { metadata, items: listed } = fieldsOf(body);
  // The API server returns null instead of an empty list of metadata, since Go encodes a nil slice as null.
  const items: unknown = listed === null ? [] : listed;
  if (!isRecord(metadata) || !Array.isArray(items))
    throw new HubError("Unavailable", `${what}: the response is not a list of a Kubernetes API`);
  const objects = items.flatMap((item: unknown) => asObject(item, kind) ?? []);
  if (objects.length !== items.length)
    throw new HubError("Unavailable", `${what}: the response's items are not objects of a Kubernetes API`);
  const { resourceVersion, continue: token } = metadata;
  return {
    objects,
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    token: typeof token === "string" ? token : "",
  };
}
