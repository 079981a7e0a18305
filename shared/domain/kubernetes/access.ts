import { sentence } from "../text/redact.ts";
import type { Kind } from "./object.ts";

/**
 * A request to an API server, or a permission of a role. An absent `namespace` or `name` means all. An empty `group` is
 * the core group, and `resource` includes the subresource.
 */
export type Access = Readonly<{
  verb: string;
  group: string;
  resource: string;
  namespace?: string;
  name?: string;
}>;

/** Returns the API group of a kind; empty for the core group. */
export function groupOf({ apiVersion }: Pick<Kind, "apiVersion">): string {
  return apiVersion.includes("/") ? apiVersion.replace(/\/.*$/s, "") : "";
}

/** Formats the access in one line, such as `update config.openshift.io images cluster`. */
export function accessText({ verb, group, resource, namespace, name }: Access): string {
  const where = namespace ? sentence` in ${namespace}` : "";
  return `${verb} ${group || "core"} ${resource}${name ? ` ${name}` : ""}${where}`;
}

/** Reports whether the grant permits the access. Parts of the grant may be `*`. */
export function allows(grant: Access, access: Access): boolean {
  const covers = (granted: string, wanted: string) => granted === "*" || granted === wanted;
  return (
    covers(grant.verb, access.verb) &&
    covers(grant.group, access.group) &&
    covers(grant.resource, access.resource) &&
    (grant.name === undefined || grant.name === access.name) &&
    (grant.namespace === undefined || grant.namespace === access.namespace)
  );
}
