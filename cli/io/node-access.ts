import { authoritiesIssue } from "#functions/hosted-clusters/snapshot/access-issues.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { RegistryAccess } from "#shared/ports/registry.ts";
import {
  clusterAccess,
  imageConfigName,
  type ResolvedAccess,
  registryAccess,
} from "#shared/registry/registry-access.ts";
import { checkPullSecret, readPullSecret } from "./pull-secret.ts";

const imageConfig = {
  object: { kind: kinds.Image.kind, name: imageConfigName },
  path: "spec.additionalTrustedCA.name",
};
const remedy =
  "Bind a role that allows getting it to your user, or use -f and include that ConfigMap in the manifests.";

/** Returns a warning if the caller lacks permission to read the ConfigMap with registries' certificate authorities. */
export function unreadAuthorities({ unreadAuthorities: configMap }: ResolvedAccess): Issue | undefined {
  return configMap === undefined ? undefined : authoritiesIssue(imageConfig, configMap, remedy);
}

/** Returns what nodes need for access to registries. The file of `--pull-secret` replaces the nodes' credentials. */
export async function nodeAccess(
  hub: HubReader,
  cluster: HostedCluster | undefined,
  file: string | undefined,
): Promise<Readonly<{ access: RegistryAccess; issues: readonly Issue[] }>> {
  const own = cluster ? await registryAccess(hub, cluster.controlPlaneNamespace) : await clusterAccess(hub);
  const pullSecret = file === undefined ? own.access.pullSecret : await readPullSecret(file);
  if (file === undefined && pullSecret !== undefined) await checkPullSecret(pullSecret);
  const unread = unreadAuthorities(own);
  return {
    access: { ...own.access, ...(pullSecret === undefined ? {} : { pullSecret }) },
    issues: unread ? [unread] : [],
  };
}
