import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { drainOverride, imageModeKinds, releaseEffects } from "#shared/domain/node-cost/release-effects.ts";
import { clusterReleases } from "#shared/domain/releases/cluster-releases.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { ifPermitted } from "#shared/ports/if-permitted.ts";

/**
 * Returns the ConfigMap that skips drains and the MachineOSConfigs, each only on releases where it changes a cost. What
 * may not be read counts as absent.
 */
export async function observeCostObjects(
  hub: HubReader,
  clusterVersion: KubernetesObject | undefined,
): Promise<readonly KubernetesObject[]> {
  const { readsDrainOverride, rebootsImageMode } = releaseEffects(clusterReleases(clusterVersion));
  const { name, namespace } = drainOverride;
  const [override, ...configs] = await Promise.all([
    readsDrainOverride ? ifPermitted(hub.get(kinds.ConfigMap, name, namespace)) : undefined,
    ...(rebootsImageMode ? imageModeKinds : []).map((kind) => ifPermitted(hub.list(kind))),
  ]);
  return [...(override?.found ? [override.found] : []), ...configs.flatMap(({ found }) => found ?? [])];
}
