import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { aWaitingRecord } from "#shared/domain/precache-model/fixtures.ts";
import { plannedUpgrade, withStates } from "#shared/domain/precache-model/planned-upgrade.ts";
import { changedReports } from "#shared/domain/precache-model/precaching-report.ts";
import type { Run } from "#shared/domain/precache-model/work-identity.ts";
import { aWork } from "./precache-objects.ts";
import { aPlannedUpgrade, start } from "./precache-system.ts";

type States = Readonly<Record<string, string>>;

/** A planned upgrade on the hub, with the states of its clusters. */
export function aStoredUpgrade(
  clusters: readonly string[],
  { states = {}, ...options }: Parameters<typeof aPlannedUpgrade>[1] & Readonly<{ states?: States }> = {},
): KubernetesObject {
  const { metadata, ...cgu } = aPlannedUpgrade(clusters, options);
  const stored = { uid: `uid-of-${metadata.name}`, resourceVersion: "5", generation: 1 };
  const creationTimestamp = "2026-03-01T01:00:00Z";
  return withStates({ ...cgu, metadata: { ...metadata, ...stored, creationTimestamp } }, states);
}

/** The same upgrade after its rollout has ended; `keeps` the objects on managed clusters if requested. */
export function overUpgrade(cgu: KubernetesObject, keeps = false): KubernetesObject {
  const { conditions = [] } = Object(cgu.status);
  return {
    ...cgu,
    spec: { ...Object(cgu.spec), actions: { afterCompletion: { deleteObjects: !keeps } } },
    status: { ...Object(cgu.status), conditions: [...conditions, { type: "Succeeded", status: "True" }] },
  };
}

/** The run of an upgrade's present content. */
export function runOfUpgrade(cgu: KubernetesObject, attempt = 1): Run {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error(`${cgu.metadata.name} is not planned`);
  return { cgu: upgrade.name, revision: upgrade.revision, attempt };
}

/** The ManifestWork of an upgrade on a cluster, as the hub returns it. */
export const workFor = (cgu: KubernetesObject, cluster: string, attempt = 1): KubernetesObject =>
  aWork(cluster, runOfUpgrade(cgu, attempt));

/** The PreCachingReports of an upgrade with these records, as the hub returns them. */
export function reportsFor(
  cgu: KubernetesObject,
  records: Readonly<Record<string, Partial<ClusterRecord>>>,
  { lookAt, written = start }: Readonly<{ lookAt?: Date; written?: Date }> = {},
): readonly KubernetesObject[] {
  const { cgu: name, revision } = runOfUpgrade(cgu);
  const whole = Object.entries(records).map(
    ([cluster, fields]) => [cluster, aWaitingRecord(fields)] as const,
  );
  const clusters = Object.keys(records);
  return changedReports([], {
    cgu,
    name,
    revision,
    clusters,
    records: new Map(whole),
    lookAt,
    now: written,
  }).map((report) => ({ ...report, metadata: { ...report.metadata, uid: "r", resourceVersion: "9" } }));
}
