import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readVersionHistory } from "#shared/domain/releases/version-history.ts";

/** Returns the version that a HostedCluster has reached: the newest completed one of its history. */
export function reachedVersion({ status }: KubernetesObject): string | undefined {
  const version = isRecord(status) && isRecord(status.version) ? status.version : {};
  return readVersionHistory(version.history).completed;
}

/** Reports whether the guest is installed, from the HostedCluster or the guest's own ClusterVersion. */
export function isInstalled(
  hostedCluster: KubernetesObject,
  clusterVersion: KubernetesObject | undefined,
): boolean {
  const { status } = clusterVersion ?? {};
  return (
    reachedVersion(hostedCluster) !== undefined ||
    (isRecord(status) && readVersionHistory(status.history).completed !== undefined)
  );
}
