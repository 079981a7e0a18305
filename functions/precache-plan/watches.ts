import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import {
  type KubernetesObject,
  kinds,
  namespacedName,
  type ObjectReference,
} from "#shared/domain/kubernetes/object.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
} from "#shared/domain/precache-model/conditions.ts";
import { siteLabelAnnotation } from "#shared/domain/precache-model/planned-upgrade.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import { isMadeFrom, windowFacts } from "#shared/domain/precache-plan/plan-dependencies.ts";
import { rootPolicyLabel } from "#shared/domain/precache-plan/policies/managed-policies.ts";
import { asksForPrecaching, precachingAnnotation } from "#shared/domain/precache-plan/precaching-owner.ts";
import { planningFacts } from "#shared/domain/precache-plan/selection/cluster-facts.ts";
import { handledClusters } from "#shared/domain/precache-plan/selection/image-based-upgrades.ts";
import { overridesConfigMap } from "#shared/domain/precache-plan/values/image-issues.ts";
import { bandwidthAnnotation } from "#shared/domain/precache-start/bandwidth-annotation.ts";
import {
  limitAnnotations,
  parallelPullsAnnotation,
  requireReadyAnnotation,
} from "#shared/domain/precache-start/limits.ts";
import {
  checkBeforeAnnotation,
  enableAnnotation,
} from "#shared/domain/precache-start/rollout/rollout-annotations.ts";
import { windowAnnotation } from "#shared/domain/windows/gate.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { everyName, type Key, type Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";

const watchedAnnotations = [
  precachingAnnotation,
  enableAnnotation,
  windowAnnotation,
  siteLabelAnnotation,
  ...Object.values(limitAnnotations),
  bandwidthAnnotation,
  parallelPullsAnnotation,
  checkBeforeAnnotation,
  requireReadyAnnotation,
];

/** Leaves out the progress in the status, which precache-status writes every second. */
function fingerprint({ metadata, status }: KubernetesObject): string {
  const { generation, annotations = {} } = metadata;
  const done = storedCondition(storedConditions(status), conditionTypes.precachingSucceeded);
  return JSON.stringify([
    generation,
    "deletionTimestamp" in metadata,
    done?.status === "True",
    watchedAnnotations.map((name) => ownValue(annotations, name)),
  ]);
}

async function mapToUpgrades(reference: ObjectReference, hub: HubReader): Promise<readonly Key[]> {
  const upgrades = await hub.list(kinds.ClusterGroupUpgrade);
  return upgrades
    .filter((cgu) => asksForPrecaching(cgu) && !isOver(cgu))
    .filter((cgu) => isMadeFrom(cgu, reference, reference.name === everyName))
    .map(({ metadata }) => ({ name: namespacedName(metadata) }));
}

/** The name of a copy is `<namespace>.<name>` of its policy. A namespace contains no dot. */
function mapCopyToUpgrades(reference: ObjectReference, hub: HubReader): ReturnType<typeof mapToUpgrades> {
  const [, ...root] = reference.name.split(".");
  return root.length > 0 ? mapToUpgrades({ ...reference, name: root.join(".") }, hub) : Promise.resolve([]);
}

const source = { sourceOf: kinds.ClusterGroupUpgrade, mapToKeys: mapToUpgrades };

/** The function's watches: ClusterGroupUpgrades, and the objects that their plans are derived from. */
export const precachePlanWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.ClusterGroupUpgrade,
      fingerprint,
      mapToKeys: (reference) => (reference.cluster ? [] : [{ name: namespacedName(reference) }]),
    },
    { ...source, kind: kinds.PreCachingConfig },
    { ...source, kind: kinds.Policy, selector: { withoutLabel: rootPolicyLabel } },
    // The status of a copy changes all the time. Its generation changes only with its spec.
    {
      ...source,
      mapToKeys: mapCopyToUpgrades,
      kind: kinds.Policy,
      selector: { withLabel: rootPolicyLabel },
      fingerprint: ({ metadata: { generation, resourceVersion } }) => String(generation ?? resourceVersion),
      metadataOnly: true,
    },
    { ...source, kind: kinds.ManagedCluster, fingerprint: planningFacts },
    { ...source, kind: kinds.ImageBasedGroupUpgrade, fingerprint: handledClusters },
    { ...source, kind: kinds.ConfigMap, selector: { name: overridesConfigMap } },
    { ...source, kind: kinds.MaintenanceWindow, fingerprint: windowFacts },
  ],
};
