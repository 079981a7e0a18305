import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import { isFinalState } from "#shared/domain/precache/cluster-state.ts";
import type { PlannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import type { Records } from "#shared/domain/precache/progress/report.ts";
import { workName } from "#shared/domain/precache/work/work-identity.ts";

/** An outcome for every cluster that has ended since the last look. */
export function clusterOutcomes(
  hubId: string,
  { name, revision, clusters }: PlannedUpgrade,
  before: Records,
  after: Records,
): readonly OutcomeEvent[] {
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
        data: { cgu: name, cluster, revision, attempt, state, reason, message, ...counts },
      }),
    ];
  });
}

/** The outcome of the whole upgrade's pre-caching, when this condition is its end. */
export function endOutcome(
  hubId: string,
  { name, revision }: PlannedUpgrade,
  { status, reason, message }: Condition,
  resourceVersion: string,
): OutcomeEvent {
  return outcomeEvent({
    type: "dev.hubrelay.precache.finished",
    source: hubId,
    subject: `${name.namespace}/${name.name}`,
    from: resourceVersion,
    data: { cgu: name, revision, status, reason, message },
  });
}
