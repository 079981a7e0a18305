import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Records } from "#shared/domain/precache-model/cluster-record.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import type { StoredCondition } from "#shared/domain/precache-model/conditions.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { workName } from "#shared/domain/precache-model/work-identity.ts";
import { notDone } from "#shared/domain/precache-plan/plan-conditions.ts";
import { checkRunFor } from "#shared/domain/precache-progress/cluster-check.ts";

/** The upgrade that outcomes are about. */
export type About = Readonly<{ hubId: string; cgu: KubernetesObject; upgrade: PlannedUpgrade }>;

/** Returns the name and uid of an upgrade. The uid distinguishes it from a later upgrade of the same name. */
function identityOf({ cgu: { metadata }, upgrade: { name } }: About) {
  return { ...name, ...(metadata.uid ? { uid: metadata.uid } : {}) };
}

type AboutRun = Pick<OutcomeEvent, "type" | "data"> & Readonly<{ work: string; at: string; attempt: number }>;

/** Outcomes follow only from records, so that a repeated reconcile returns the same outcomes. */
function outcomesOfClusters(
  about: About,
  clusters: readonly string[],
  aboutRunOf: (cluster: string) => AboutRun | undefined,
): readonly OutcomeEvent[] {
  const { name, revision } = about.upgrade;
  return clusters.flatMap((cluster) => {
    const run = aboutRunOf(cluster);
    if (!run) return [];
    const { type, work, at, attempt, data } = run;
    return [
      outcomeEvent({
        type,
        source: about.hubId,
        subject: `${name.namespace}/${name.name}/${cluster}`,
        from: work,
        at,
        data: { cgu: identityOf(about), cluster, revision, attempt, ...data },
      }),
    ];
  });
}

/** Returns an outcome for each of these clusters that has failed. */
export function failedOutcomes(
  about: About,
  clusters: readonly string[],
  records: Records,
): readonly OutcomeEvent[] {
  const { name: cgu, revision } = about.upgrade;
  return outcomesOfClusters(about, clusters, (cluster) => {
    const record = records.get(cluster);
    if (!record || !isFinalState(record.state) || record.state === "Succeeded") return undefined;
    const { state, reason, message, attempt, imagesDone, imagesTotal, bytesDone, since } = record;
    return {
      type: "dev.hubrelay.precache.cluster-failed",
      work: workName({ cgu, revision, attempt }),
      at: since,
      attempt,
      data: { state, reason, message, imagesDone, imagesTotal, bytesDone },
    };
  });
}

/** Returns an outcome for each of these clusters whose check has found that images are missing. */
export function lostOutcomes(
  about: About,
  clusters: readonly string[],
  records: Records,
): readonly OutcomeEvent[] {
  return outcomesOfClusters(about, clusters, (cluster) => {
    const { check } = records.get(cluster) ?? {};
    const { imagesPresent, imagesTotal, checked, message = "", opening } = check ?? {};
    if (!check || imagesPresent === undefined || imagesTotal === undefined || imagesPresent >= imagesTotal)
      return undefined;
    return {
      type: "dev.hubrelay.precache.images-missing",
      work: workName(checkRunFor(about.upgrade, check)),
      at: checked ?? check.started,
      attempt: check.attempt,
      data: {
        imagesPresent,
        imagesTotal,
        message,
        checked,
        ...(opening === undefined ? {} : { opening }),
      },
    };
  });
}

/**
 * Returns the outcome of the upgrade's pre-caching; none while pre-caching is in progress. The outcome's id includes
 * the attempts of clusters, since a retry does not always change the condition's time.
 */
export function endOutcomes(
  about: About,
  condition: StoredCondition | undefined,
  records: Records,
): readonly OutcomeEvent[] {
  if (!condition || condition.reason === notDone.reason) return [];
  const attempts = [...records.values()].reduce((sum, { attempt }) => sum + attempt, 0);
  const { status, reason, message, lastTransitionTime } = condition;
  const { name, revision } = about.upgrade;
  return [
    outcomeEvent({
      type: "dev.hubrelay.precache.finished",
      source: about.hubId,
      subject: `${name.namespace}/${name.name}`,
      from: `${lastTransitionTime} ${attempts}`,
      at: `${lastTransitionTime}`,
      data: { cgu: identityOf(about), revision, status, reason, message },
    }),
  ];
}
