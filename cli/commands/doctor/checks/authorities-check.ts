import { authoritiesPermission } from "#functions/hosted-clusters/observe/access-issues.ts";
import { imageConfigNamespace } from "#functions/hosted-clusters/well-known-names.ts";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import { accountOf, type NeededAccess } from "./access-checks.ts";
import { type Check, note, ok } from "./check.ts";

const title = "authorities";

/**
 * Checks that the caller, or with `asAccount` the account of hosted-clusters, may read the registry certificate
 * authorities that the Image configuration names. Only an administrator can grant this, since the name is not fixed.
 */
export async function authoritiesCheck(
  hub: HubInspection,
  configMap: string | undefined,
  needed: NeededAccess,
  asAccount: boolean,
): Promise<Check> {
  if (configMap === undefined) return ok(title, "Image cluster names no registry certificate authorities.");
  const where = `ConfigMap ${imageConfigNamespace}/${configMap}`;
  const access = {
    verb: "get",
    group: "",
    resource: "configmaps",
    namespace: imageConfigNamespace,
    name: configMap,
  };
  return (await hub.isAllowed(access, asAccount ? accountOf(needed) : undefined))
    ? ok(title, `The ${where} may be read.`)
    : note(
        title,
        `The ${where} may not be read: hosted-clusters does not trust registries whose certificates only it signs.`,
        authoritiesPermission(configMap),
      );
}
