import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import {
  type KubernetesObject,
  kinds,
  namespacedName,
  type ObjectReference,
} from "#shared/domain/kubernetes/object.ts";
import type { Verb } from "#shared/domain/plan/hub-event.ts";
import { clusterReference } from "#shared/domain/precache-model/cluster-event.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
} from "#shared/domain/precache-model/conditions.ts";
import { checkAnnotation, retryAnnotation } from "#shared/domain/precache-model/upgrade-spec.ts";
import { checkRunOf, isWorkName, runOf, workLabels } from "#shared/domain/precache-model/work-identity.ts";
import { checkFeedbackOf, feedbackOf, isFinished } from "#shared/domain/precache-progress/feedback.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Key, Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { keyReference } from "#shared/runtime/references.ts";
import { manifest } from "./manifest.ts";

/**
 * Returns a reference to the cluster if the ManifestWork has ended or was removed before its end; otherwise undefined.
 * Without a verb, returns a reference to the ClusterGroupUpgrade: a ManifestWork may have gone while nobody watched.
 */
export function endOf(work: KubernetesObject, verb?: Verb): ObjectReference | undefined {
  const feedback = feedbackOf(work) ?? checkFeedbackOf(work);
  if (!feedback) return undefined;
  const { cgu } = feedback.run;
  if (!verb) return keyReference(kinds.ClusterGroupUpgrade, { name: namespacedName(cgu) });
  const isGoing = verb === "delete" || feedback.isDeleting === true;
  if (isFinished(feedback) === isGoing) return undefined;
  return clusterReference(cgu, work.metadata.namespace ?? "");
}

function fingerprint({ metadata, status }: KubernetesObject): string {
  const { generation, annotations = {} } = metadata;
  const { spec, clusters } = fieldsOf(fieldsOf(status).precaching);
  const isOver = storedCondition(storedConditions(status), conditionTypes.succeeded) !== undefined;
  return JSON.stringify([
    generation,
    "deletionTimestamp" in metadata,
    annotations[retryAnnotation],
    annotations[checkAnnotation],
    spec,
    clusters,
    isOver,
  ]);
}

/** Only events of other programs name a ManifestWork: hubrelay's own events name the cluster. */
async function mapWork({ namespace = "", name }: ObjectReference, hub: HubReader): Promise<readonly Key[]> {
  const work = isWorkName(name) ? await hub.get(kinds.ManifestWork, name, namespace) : undefined;
  const run = work && (runOf(work) ?? checkRunOf(work));
  return run ? [{ name: namespacedName(run.cgu), part: namespace }] : [];
}

/** The function's watches: plans of upgrades, the readiness of images, and ManifestWorks whose runs end. */
export const precacheStatusWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    {
      kind: kinds.ClusterGroupUpgrade,
      fingerprint,
      mapToKeys: (reference) => {
        const { cluster: part } = reference;
        return [{ name: namespacedName(reference), ...(part === undefined ? {} : { part }) }];
      },
    },
    {
      kind: kinds.ReadinessReport,
      fingerprint: ({ revision, ready, reason, message }) =>
        JSON.stringify([revision, ready, reason, message]),
      mapToKeys: (reference) => [{ name: namespacedName(reference) }],
    },
    {
      kind: kinds.ManifestWork,
      selector: { withLabel: workLabels.cgu },
      refersTo: endOf,
      mapToKeys: mapWork,
    },
  ],
};
