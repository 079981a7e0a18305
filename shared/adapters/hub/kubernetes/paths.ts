import type { Kind } from "../../../domain/kubernetes/object.ts";

/** The names that the API server accepts in a path. Any other would lead to another resource. */
function isPathSegment(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/%]/.test(name);
}

/** Returns the path of all objects of a kind, within a namespace if given. */
export function collectionPath({ apiVersion, plural }: Kind, namespace?: string): string {
  const root = apiVersion.includes("/") ? "/apis" : "/api";
  const within = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}/${apiVersion}${within}/${plural}`;
}

/**
 * Returns the path of one object; undefined when it cannot exist: a namespaced kind without a namespace, or a name that
 * is not a path segment (references come from events, and events may be forged).
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
