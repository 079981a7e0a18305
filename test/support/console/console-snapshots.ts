import {
  byNamespaceAndName,
  isKind,
  type Kind,
  type KubernetesObject,
  kinds,
} from "#shared/domain/kubernetes/object.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { plannedUpgrade, withStates } from "#shared/domain/precache-model/planned-upgrade.ts";
import { cguLabels } from "#shared/domain/precache-model/work-identity.ts";
import type { Snapshot } from "../../../console/model/snapshot.ts";
import { aPlannedUpgrade } from "../precache/precache-system.ts";

export const now = new Date("2026-03-01T02:30:00Z");

/** Returns a snapshot of a hub that holds these objects. */
export function snapshotOf(objects: readonly KubernetesObject[], rest: Partial<Snapshot> = {}): Snapshot {
  const list = (kind: Kind) => objects.filter((object) => isKind(kind, object)).sort(byNamespaceAndName);
  return { now, list, unread: [], verifications: [], ...rest };
}

export type FleetRecords = Readonly<Record<string, Partial<ClusterRecord> | undefined>>;

/** Returns an upgrade of these clusters with what is known about each; undefined for one that waits. */
export function aFleet(
  records: FleetRecords,
  options: Parameters<typeof aPlannedUpgrade>[1] = {},
): readonly KubernetesObject[] {
  const states = Object.entries(records).flatMap(([cluster, record]) =>
    record ? [[cluster, record.state ?? "Active"] as const] : [],
  );
  const cgu = withStates(aPlannedUpgrade(Object.keys(records), options), Object.fromEntries(states));
  const upgrade = plannedUpgrade(cgu);
  const { apiVersion, kind } = kinds.PreCachingReport;
  const { namespace = "", name } = cgu.metadata;
  const known = Object.entries(records).flatMap(([cluster, record]) =>
    record
      ? [
          [
            cluster,
            { state: "Active", reason: "Pulling", attempt: 1, since: "2026-03-01T02:10:00Z", ...record },
          ],
        ]
      : [],
  );
  const metadata = { namespace, name: `${name}-0`, labels: cguLabels({ namespace, name }) };
  return [
    cgu,
    { apiVersion, kind, metadata, revision: upgrade?.revision, clusters: Object.fromEntries(known) },
  ];
}
