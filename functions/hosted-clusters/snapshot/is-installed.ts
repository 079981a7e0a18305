import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readVersionHistory } from "#shared/domain/releases/version-history.ts";

/** Reports whether the guest is installed, from the HostedCluster or the guest's own ClusterVersion. */
export function isInstalled(
  { reachedVersion }: HostedCluster,
  clusterVersion: KubernetesObject | undefined,
): boolean {
  const { status } = clusterVersion ?? {};
  return (
    reachedVersion !== undefined ||
    (isRecord(status) && readVersionHistory(status.history).completed !== undefined)
  );
}
