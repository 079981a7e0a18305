import { unusableLogins } from "#shared/domain/credentials/unusable-logins.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { imageConfigNamespace } from "../well-known-names.ts";
import type { AskingAs } from "./registry-access.ts";

const roleName = "hubrelay-registry-authorities";

/** What lets the account of this function read the ConfigMap, as one line for a shell. */
export const authoritiesPermission = (configMap: string) =>
  `oc create role ${roleName} -n ${imageConfigNamespace} --verb get --resource configmaps --resource-name ${configMap} && oc create rolebinding ${roleName} -n ${imageConfigNamespace} --role ${roleName} --serviceaccount hubrelay:hubrelay-hosted-clusters`;

/** The authorities that could not be read; `remedy` is for whoever asks. */
export function authoritiesIssue(
  { object, path }: Pick<Issue, "object" | "path">,
  configMap: string,
  remedy: string,
): Issue {
  return {
    code: "AuthoritiesForbidden",
    severity: "warning",
    object,
    path,
    value: configMap,
    message: `The ConfigMap ${imageConfigNamespace}/${configMap}, which additionalTrustedCA of Image cluster names, may not be read: registries that only its authorities vouch for are not believed`,
    remedy,
  };
}

/** What keeps registries from being asked as whom the hosted cluster asks them. */
export function accessIssues(cluster: HostedCluster, askingAs: AskingAs | undefined): readonly Issue[] {
  if (!askingAs) return [];
  const object = issueObject(cluster.object);
  const { access, unreadAuthorities: configMap } = askingAs;
  const logins = unusableLogins(access.pullSecret ?? "", object, "spec.pullSecret.name");
  return [
    ...(configMap === undefined
      ? []
      : [
          authoritiesIssue(
            { object, path: "spec" },
            configMap,
            `Let it be read: ${authoritiesPermission(configMap)}`,
          ),
        ]),
    ...(logins ? [logins] : []),
  ];
}
