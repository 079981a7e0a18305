import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache/cluster-state.ts";
import type { PlannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import type { Records } from "#shared/domain/precache/progress/report.ts";
import { workName } from "#shared/domain/precache/work/work-identity.ts";

/** Which upgrade an outcome is about: one of the same name that was made anew is another. */
function identityOf({ metadata }: KubernetesObject, { name }: PlannedUpgrade) {
  return { ...name, ...(metadata.uid ? { uid: metadata.uid } : {}) };
}

/** An outcome for every cluster that has ended since the last look. */
export function clusterOutcomes(
  hubId: string,
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  before: Records,
  after: Records,
): readonly OutcomeEvent[] {
  const { name, revision, clusters } = upgrade;
  return clusters.flatMap((cluster) => {
    const record = after.get(cluster);
    if (!record || !isFinalState(record.state) || isFinalState(before.get(cluster)?.state)) return [];
    const { state, reason, message, attempt, imagesDone, imagesTotal, bytesDone } = record;
    const counts = { imagesDone, imagesTotal, bytesDone };
    return [
      outcomeEvent({
        type: `dev.hubrelay.precache.cluster-${state === "Succeeded" ? "succeeded" : "failed"}`,
        source: hubId,
        subject: `${name.namespace}/${name.name}/${cluster}`,
        from: workName({ cgu: name, revision, attempt }),
        data: {
          cgu: identityOf(cgu, upgrade),
          cluster,
          revision,
          attempt,
          state,
          reason,
          message,
          ...counts,
        },
      }),
    ];
  });
}

/** The outcome of the whole upgrade's pre-caching, when this condition is its end. */
export function endOutcome(
  hubId: string,
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  { status, reason, message }: Condition,
): OutcomeEvent {
  const { name, revision } = upgrade;
  return outcomeEvent({
    type: "dev.hubrelay.precache.finished",
    source: hubId,
    subject: `${name.namespace}/${name.name}`,
    from: cgu.metadata.resourceVersion ?? "",
    data: { cgu: identityOf(cgu, upgrade), revision, status, reason, message },
  });
}
