import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { RegistryAccess } from "#shared/ports/registry.ts";
import { clusterAccess, registryAccess } from "#shared/registry/registry-access.ts";
import { checkPullSecret, readPullSecret } from "./pull-secret.ts";
import { unreadAuthorities } from "./unread-authorities.ts";

/**
 * Returns the credentials and trusted authorities of the nodes; `--pull-secret` replaces the credentials. Throws
 * `UsageError` for a pull secret that cannot be used.
 */
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
