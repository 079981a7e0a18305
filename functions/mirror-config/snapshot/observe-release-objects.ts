import {
  drainOverride,
  imageModeKinds,
  releaseEffects,
} from "#shared/domain/diff/node-cost/release-effects.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { clusterReleases } from "#shared/domain/openshift/releases/cluster-releases.ts";
import { isPreviewIn } from "#shared/domain/openshift/releases/payload-policy.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { ifPermitted } from "#shared/ports/if-permitted.ts";

/**
 * Returns the ConfigMap that skips drains and the MachineOSConfigs, each only on releases where it changes a cost, and the
 * FeatureGate where it decides whether the payload has a signature policy. What may not be read counts as absent.
 */
export async function observeReleaseObjects(
  hub: HubReader,
  clusterVersion: KubernetesObject | undefined,
): Promise<readonly KubernetesObject[]> {
  const releases = clusterReleases(clusterVersion);
  const { readsDrainOverride, rebootsImageMode } = releaseEffects(releases);
  const { name, namespace } = drainOverride;
  const [override, features, ...configs] = await Promise.all([
    readsDrainOverride ? ifPermitted(hub.get(kinds.ConfigMap, name, namespace)) : undefined,
    isPreviewIn(releases.current) ? ifPermitted(hub.get(kinds.FeatureGate, "cluster")) : undefined,
    ...(rebootsImageMode ? imageModeKinds : []).map((kind) => ifPermitted(hub.list(kind))),
  ]);
  const found = [override, features].flatMap((one) => one?.found ?? []);
  return [...found, ...configs.flatMap((some) => some.found ?? [])];
}
