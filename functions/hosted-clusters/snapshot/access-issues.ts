import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { fieldWarning, type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { imageConfigNamespace, type ResolvedAccess } from "#shared/registry/registry-access.ts";

const roleName = "hubrelay-registry-authorities";

const authoritiesPermission = (configMap: string) =>
  sentence`oc create role ${roleName} -n ${imageConfigNamespace} --verb get --resource configmaps --resource-name ${configMap} && oc create rolebinding ${roleName} -n ${imageConfigNamespace} --role ${roleName} --serviceaccount hubrelay:hubrelay-hosted-clusters`;

/** Returns the issue that the ConfigMap with certificate authorities for registries could not be read. */
export function authoritiesIssue(
  { object, path }: Pick<Issue, "object" | "path">,
  configMap: string,
  remedy: string,
): Issue {
  return fieldWarning(object, path, configMap, {
    code: "AuthoritiesForbidden",
    message: sentence`The ConfigMap ${imageConfigNamespace}/${configMap}, which additionalTrustedCA of Image cluster names, cannot be read: permission denied. Registries whose certificates only its authorities sign are not trusted`,
    remedy,
  });
}

/** Returns an issue if the ConfigMap with certificate authorities for registries could not be read. */
export function accessIssues(
  cluster: HostedCluster,
  resolvedAccess: ResolvedAccess | undefined,
): readonly Issue[] {
  const configMap = resolvedAccess?.unreadAuthorities;
  if (configMap === undefined) return [];
  const remedy = sentence`Grant the permission: ${authoritiesPermission(configMap)}`;
  return [authoritiesIssue({ object: issueObject(cluster.object), path: "spec" }, configMap, remedy)];
}
