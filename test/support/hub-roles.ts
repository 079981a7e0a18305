import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import type { Access } from "./recorded-hub.ts";

/** One permission of an account: a verb on a resource, everywhere or in a namespace, for all objects or one. */
export type Grant = Access;

const metadata = z.object({ name: z.string(), namespace: z.string().optional() });
const rule = z.strictObject({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
  verbs: z.array(z.string()),
});
const manifest = z.discriminatedUnion("kind", [
  z.object({
    kind: z.enum([
      "Namespace",
      "ServiceAccount",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
    ]),
    metadata,
  }),
  z.object({ kind: z.enum(["ClusterRole", "Role"]), metadata, rules: z.array(rule) }),
  z.object({
    kind: z.enum(["ClusterRoleBinding", "RoleBinding"]),
    metadata,
    roleRef: z.object({ kind: z.enum(["ClusterRole", "Role"]), name: z.string() }),
    subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string() })),
  }),
]);

/** One object of `infra/hub-rbac`. */
export type RbacManifest = z.infer<typeof manifest>;
type Rule = z.infer<typeof rule>;

const folder = join(import.meta.dirname, "../../infra/hub-rbac");

/** The documents of `infra/hub-rbac`, in the order of its kustomization, as they are sent to a hub. */
export async function hubRbacDocuments(): Promise<readonly unknown[]> {
  const { resources } = z
    .object({ resources: z.array(z.string()) })
    .parse(parse(await readFile(join(folder, "kustomization.yaml"), "utf8")));
  const files = await Promise.all(resources.map((name) => readFile(join(folder, name), "utf8")));
  return files.flatMap((text) => parseAllDocuments(text).map((document): unknown => document.toJS()));
}

/** The objects of `infra/hub-rbac`; throws when one is of another kind or form than RBAC needs. */
export async function hubRbacManifests(): Promise<readonly RbacManifest[]> {
  return (await hubRbacDocuments()).map((document) => manifest.parse(document));
}

function grantsOfRule(
  { apiGroups, resources, resourceNames = [], verbs }: Rule,
  namespace?: string,
): readonly Grant[] {
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ name })) : [{}];
  const within = namespace ? { namespace } : {};
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, group, resource, ...within, ...name }))),
    ),
  );
}

/** All permissions of a ServiceAccount, each verb, resource and name by itself. */
export function grantsOf(account: string, manifests: readonly RbacManifest[]): readonly Grant[] {
  return manifests.flatMap((binding) => {
    if (binding.kind !== "ClusterRoleBinding" && binding.kind !== "RoleBinding") return [];
    if (!binding.subjects.some(({ name }) => name === account)) return [];
    const { roleRef } = binding;
    const role = manifests.find(
      ({ kind, metadata: { name } }) => kind === roleRef.kind && name === roleRef.name,
    );
    if (role?.kind !== "ClusterRole" && role?.kind !== "Role")
      throw new Error(`${binding.kind} ${binding.metadata.name} binds ${roleRef.name}, which is not here`);
    return role.rules.flatMap((rule) => grantsOfRule(rule, binding.metadata.namespace));
  });
}

/** True when the permission is enough for the request. */
export function allows(grant: Grant, access: Access): boolean {
  return (
    grant.verb === access.verb &&
    grant.group === access.group &&
    grant.resource === access.resource &&
    (grant.name === undefined || grant.name === access.name) &&
    (grant.namespace === undefined || grant.namespace === access.namespace)
  );
}

/** A permission or a request in one line, e.g. `update config.openshift.io images/cluster`. */
export function accessText({ verb, group, resource, namespace, name }: Access): string {
  const where = namespace ? ` in ${namespace}` : "";
  return `${verb} ${group || "core"} ${resource}${name ? ` ${name}` : ""}${where}`;
}
