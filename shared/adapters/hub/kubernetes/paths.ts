import type { Kind } from "../../../domain/kubernetes/object.ts";

/** Reports whether the API server accepts a name in a path. Any other name would lead to another resource. */
function isPathSegment(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name);
}

/** Returns the path of all objects of a kind, in all namespaces or only in `namespace`. */
export function collectionPath({ apiVersion, plural }: Kind, namespace?: string): string {
  const root = apiVersion.includes("/") ? "/apis" : "/api";
  const within = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}/${apiVersion}${within}/${plural}`;
}

/**
 * Returns the path of one object; undefined if its namespace is missing or a name is not a path segment. References
 * come from events, which may be forged.
 */
export function objectPath(
  kind: Kind,
  { namespace, name }: Readonly<{ namespace?: string | undefined; name: string }>,
): string | undefined {
  const scope = kind.namespaced ? namespace : undefined;
  if (kind.namespaced && !scope) return undefined;
  if (!isPathSegment(name) || (scope && !isPathSegment(scope))) return undefined;
  return `${collectionPath(kind, scope)}/${encodeURIComponent(name)}`;
}

/** The permission that a request needs, as in RBAC. */
export type Requested = Readonly<{ verb: string; resource: string }>;

const verbs = { POST: "create", PUT: "update", DELETE: "delete" } as const;
const resourcePath =
  /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?<subresource>\/.+)?)?$/;

/** Returns the permission that a request needs. If the request is about the server itself, `resource` is the path. */
export function requestedBy({
  method,
  path,
  query = {},
}: Readonly<{
  method: "GET" | keyof typeof verbs;
  path: string;
  query?: Readonly<Record<string, string>>;
}>): Requested {
  const { plural, name, subresource = "" } = resourcePath.exec(path)?.groups ?? {};
  const collection = query.watch === undefined ? "list" : "watch";
  const read = plural === undefined || name !== undefined ? "get" : collection;
  return { verb: method === "GET" ? read : verbs[method], resource: plural ? plural + subresource : path };
}
