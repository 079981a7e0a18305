import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

function completedIn(history: unknown): string | undefined {
  const entries = Array.isArray(history) ? history.filter(isRecord) : [];
  const reached = entries.find(({ state }) => state === "Completed")?.version;
  return typeof reached === "string" ? reached : undefined;
}

/** Returns the version that a HostedCluster has reached: the newest completed one of its history. */
export function reachedVersion({ status }: KubernetesObject): string | undefined {
  const version = isRecord(status) && isRecord(status.version) ? status.version : {};
  return completedIn(version.history);
}

/** Reports whether the guest is installed, from the HostedCluster or the guest's own ClusterVersion. */
export function isInstalled(
  hostedCluster: KubernetesObject,
  clusterVersion: KubernetesObject | undefined,
): boolean {
  const { status } = clusterVersion ?? {};
  return (
    reachedVersion(hostedCluster) !== undefined ||
    (isRecord(status) && completedIn(status.history) !== undefined)
  );
}
