import { type KubernetesObject, timestamp } from "#shared/domain/kubernetes/object.ts";
import type { Decision } from "#shared/domain/plan/plan.ts";
import type { ClusterRecord, Records } from "#shared/domain/precache-model/cluster-record.ts";
import { labelsByCluster, type PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { checkAnnotation, retryAnnotation } from "#shared/domain/precache-model/upgrade-spec.ts";
import { isCheckRequested, withNewCheck } from "#shared/domain/precache-progress/cluster-check.ts";
import { asLost } from "#shared/domain/precache-progress/follow.ts";
import { checksBeforeOpenings } from "#shared/domain/precache-start/rollout/check-before.ts";
import type { Surroundings } from "#shared/domain/precache-start/slot-changes.ts";
import { sentence } from "#shared/domain/text/redact.ts";

type CheckChange = Readonly<{ verdict: "check" | "pre-cache again"; record: ClusterRecord; reason: string }>;

/** Returns which clusters are checked or pre-cached again. The key is the cluster. */
export function checkChanges({
  cgu,
  upgrade,
  records,
  surroundings,
  requested,
  now,
}: Readonly<{
  cgu: KubernetesObject;
  upgrade: PlannedUpgrade;
  records: Records;
  surroundings: Surroundings;
  requested: ReadonlySet<string> | undefined;
  now: Date;
}>): ReadonlyMap<string, CheckChange> {
  const changes = new Map<string, CheckChange>();
  if (upgrade.isOver) return changes;
  const { windows, configs, managedClusters } = surroundings;
  const labelsOf = labelsByCluster(managedClusters);
  const before = checksBeforeOpenings({ cgu, configs, windows, labelsOf }, now);
  for (const [cluster, record] of records) {
    const due = before(cluster, record);
    if (due?.verdict === "again") {
      const lost = asLost(record, now);
      changes.set(cluster, { verdict: "pre-cache again", record: lost, reason: lost.message });
    } else if (due || (requested && isCheckRequested(cluster, record, requested))) {
      const reason = due
        ? sentence`It is checked before ${timestamp(due.opening)}.`
        : "A check was requested.";
      changes.set(cluster, { verdict: "check", record: withNewCheck(record, now, due?.opening), reason });
    }
  }
  return changes;
}

/** Reports whether a check of the cluster has ended between the records `before` and `after`. */
export function isCheckEnded(before: ClusterRecord | undefined, after: ClusterRecord | undefined): boolean {
  return after?.check?.checked !== undefined && before?.check?.checked !== after.check.checked;
}

/** Returns the decision about a cluster whose check has ended. */
export function checkedDecision(subject: string, { check }: ClusterRecord): Decision {
  const { imagesPresent, imagesTotal, message } = check ?? {};
  const counts =
    imagesTotal === undefined
      ? "It is not known which images are there"
      : `${imagesPresent ?? 0} of ${imagesTotal} images are there`;
  return { subject, verdict: "checked", reason: `${[counts, message].filter(Boolean).join(": ")}.` };
}

/** Returns the ClusterGroupUpgrade without the annotations that request a retry or a check. */
export function withoutRequests(cgu: KubernetesObject): KubernetesObject {
  const {
    [retryAnnotation]: _retry,
    [checkAnnotation]: _check,
    ...annotations
  } = cgu.metadata.annotations ?? {};
  return { ...cgu, metadata: { ...cgu.metadata, annotations } };
}
