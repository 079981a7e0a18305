import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import type { StoredCondition } from "#shared/domain/precache/model/conditions.ts";
import { notDone } from "#shared/domain/precache/plan/plan-conditions.ts";
import type { PlannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import type { Records } from "#shared/domain/precache/progress/precaching-report.ts";
import { workName } from "#shared/domain/precache/work/work-identity.ts";

/** Which upgrade an outcome is about: one of the same name that was made anew is another. */
function identityOf({ metadata }: KubernetesObject, { name }: PlannedUpgrade) {
  return { ...name, ...(metadata.uid ? { uid: metadata.uid } : {}) };
}

/** Returns an outcome for every one of these clusters that has ended: a function of its record alone. */
export function clusterOutcomes(
  hubId: string,
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  clusters: readonly string[],
  records: Records,
): readonly OutcomeEvent[] {
  const { name, revision } = upgrade;
  return clusters.flatMap((cluster) => {
    const record = records.get(cluster);
    if (!record || !isFinalState(record.state)) return [];
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

/**
 * Returns the outcome of the whole upgrade's pre-caching, of the condition as the status has it: none while it goes on.
 * A retry makes another end of it: the time of the condition moves only with its status, the attempts always.
 */
export function endOutcomes(
  hubId: string,
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  condition: StoredCondition | undefined,
  records: Records,
): readonly OutcomeEvent[] {
  if (!condition || condition.reason === notDone.reason) return [];
  const attempts = [...records.values()].reduce((sum, { attempt }) => sum + attempt, 0);
  const { status, reason, message, lastTransitionTime } = condition;
  const { name, revision } = upgrade;
  return [
    outcomeEvent({
      type: "dev.hubrelay.precache.finished",
      source: hubId,
      subject: `${name.namespace}/${name.name}`,
      from: `${lastTransitionTime} ${attempts}`,
      data: { cgu: identityOf(cgu, upgrade), revision, status, reason, message },
    }),
  ];
}
