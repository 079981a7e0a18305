import * as z from "zod";
import { sentence } from "../text/redact.ts";
import type { Access } from "./access.ts";

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

/** An RBAC object of a deployment, or another object that may be in the same manifests, such as a Namespace. */
export type RbacManifest = z.infer<typeof manifest>;
type Rule = Readonly<z.infer<typeof rule>>;

/** Parses an RBAC manifest; throws for an unsupported kind or an invalid field. */
export function parseRbacManifest(value: unknown): RbacManifest {
  return manifest.parse(value);
}

function grantsOfRule(
  { apiGroups, resources, resourceNames = [], verbs }: Rule,
  namespace?: string,
): readonly Access[] {
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ name })) : [{}];
  const within = namespace ? { namespace } : {};
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ verb, group, resource, ...within, ...name }))),
    ),
  );
}

/** Returns the permissions in the rules of a SelfSubjectRulesReview; none if one of the rules cannot be read. */
export function grantsOfReview(resourceRules: unknown): readonly Access[] {
  const rules = z.array(rule.loose()).safeParse(resourceRules);
  return rules.success ? rules.data.flatMap((one) => grantsOfRule(one)) : [];
}

/** Returns all permissions that the manifests give to a ServiceAccount, one for each verb, resource and name. */
export function grantsOf(account: string, manifests: readonly RbacManifest[]): readonly Access[] {
  return manifests.flatMap((binding) => {
    if (binding.kind !== "ClusterRoleBinding" && binding.kind !== "RoleBinding") return [];
    if (!binding.subjects.some(({ name }) => name === account)) return [];
    const { roleRef } = binding;
    const role = manifests.find(
      ({ kind, metadata: { name } }) => kind === roleRef.kind && name === roleRef.name,
    );
    if (role?.kind !== "ClusterRole" && role?.kind !== "Role")
      throw new Error(
        sentence`${binding.kind} ${binding.metadata.name} binds ${roleRef.name}, which is not in the manifests`,
      );
    return role.rules.flatMap((rule) => grantsOfRule(rule, binding.metadata.namespace));
  });
}
