import type { Kind } from "./kinds.ts";

/**
 * What an API server's authorizer is asked about one request, or a role permits: a verb on a resource, everywhere or
 * in a namespace, of all objects or one. `resource` includes the subresource, if any; the core group is empty.
 */
export type Access = Readonly<{
  verb: string;
  group: string;
  resource: string;
  namespace?: string;
  name?: string;
}>;

/** The API group of a kind; empty for the core group. */
export function groupOf({ apiVersion }: Pick<Kind, "apiVersion">): string {
  return apiVersion.includes("/") ? apiVersion.replace(/\/.*$/, "") : "";
}

/** In one line, e.g. `update config.openshift.io images cluster`. */
export function accessText({ verb, group, resource, namespace, name }: Access): string {
  const where = namespace ? ` in ${namespace}` : "";
  return `${verb} ${group || "core"} ${resource}${name ? ` ${name}` : ""}${where}`;
}

/** True when what is granted is enough for the request. */
export function allows(grant: Access, access: Access): boolean {
  return (
    grant.verb === access.verb &&
    grant.group === access.group &&
    grant.resource === access.resource &&
    (grant.name === undefined || grant.name === access.name) &&
    (grant.namespace === undefined || grant.namespace === access.namespace)
  );
}
