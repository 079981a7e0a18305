import {
  type KubernetesObject,
  kinds,
  namespacedName,
  type ObjectReference,
} from "#shared/domain/kubernetes/object.ts";
import { isMergedName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { requireReadyAnnotation } from "#shared/domain/precache-start/limits.ts";
import { windowAnnotation } from "#shared/domain/windows/gate.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Key, Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { mirrorKinds } from "../mirror-config/watches.ts";
import { manifest } from "./manifest.ts";

/** Returns the key of one planned upgrade; none if no upgrade is planned. One reconcile covers all upgrades. */
async function mapToUpgrade(_: ObjectReference, hub: HubReader): Promise<readonly Key[]> {
  const upgrades = await hub.list(kinds.ClusterGroupUpgrade);
  const planned = upgrades.find((cgu) => plannedUpgrade(cgu)?.isOver === false);
  return planned ? [{ name: namespacedName(planned.metadata) }] : [];
}

const source = { sourceOf: kinds.ClusterGroupUpgrade, mapToKeys: mapToUpgrade };

const requested = ({ metadata: { annotations = {} } }: KubernetesObject): readonly unknown[] => [
  annotations[requireReadyAnnotation],
  annotations[windowAnnotation],
];

function ofUpgrade(cgu: KubernetesObject): string {
  const { revision, clusters, isOver } = plannedUpgrade(cgu) ?? {};
  return JSON.stringify([requested(cgu), "deletionTimestamp" in cgu.metadata, revision, clusters, isOver]);
}

/**
 * The function's watches: planned upgrades, and the rules by which nodes pull images. No watch triggers the daily check
 * of images: the resync tick does.
 */
export const precacheReadyWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.ClusterGroupUpgrade,
      fingerprint: ofUpgrade,
      mapToKeys: () => [{ name: "fleet" }],
    },
    {
      ...source,
      kind: kinds.PreCachingConfig,
      fingerprint: (config) => JSON.stringify(requested(config)),
    },
    ...mirrorKinds.map((kind) => ({ ...source, kind })),
    { ...source, kind: kinds.Image },
    { ...source, kind: kinds.MachineConfig, selector: { name: (name) => !isMergedName(name) } },
  ],
};
