import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { displayName, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/mirror-kinds.ts";
import { type ClusterGroup, clusterGroupOf } from "#shared/domain/precache/fleet/cluster-group.ts";
import { sitesOfFleet } from "./fleet-sites.ts";
import { type Fleet, fleetKey, fleetsByUrgency } from "./fleet-summaries.ts";
import { address, type Query, type Snapshot } from "./snapshot.ts";

/** Something with a name that a page is about. */
export type SearchHit = Readonly<{
  kind: string;
  name: string;
  /** Where it is, or what it belongs to. */
  detail: string;
  /** The address of the page about it. */
  to: string;
  /** The state of a cluster. */
  group?: ClusterGroup;
}>;

export type SearchView = Readonly<{
  find: string;
  hits: readonly SearchHit[];
  /** The number of all hits; more than are shown. */
  found: number;
}>;

const maxHits = 100;

function fleetHits(fleet: Fleet, snapshot: Snapshot): readonly SearchHit[] {
  const upgrade = fleetKey(fleet.status);
  const { clusters, ended, total } = fleet.status;
  const { label, siteOf } = sitesOfFleet(fleet, snapshot);
  const sites = label === undefined ? [] : new Set(clusters.map(({ name }) => siteOf(name)));
  return [
    {
      kind: "ClusterGroupUpgrade",
      name: upgrade,
      detail: `${ended}/${total} ended`,
      to: address("/precaching", { upgrade }),
    },
    ...[...sites].map((site) => ({
      kind: "Site",
      name: site,
      detail: upgrade,
      to: address("/precaching", { upgrade, site }),
    })),
    ...clusters.map((one) => ({
      kind: "Cluster",
      name: one.name,
      detail: label === undefined ? upgrade : `${siteOf(one.name)}, ${upgrade}`,
      to: address("/precaching", { upgrade, cluster: one.name }),
      group: clusterGroupOf(one),
    })),
  ];
}

function objectHits(objects: readonly KubernetesObject[], to: (key: string) => string): readonly SearchHit[] {
  return objects.map(({ kind, metadata }) => {
    const name = displayName({ kind: "", ...metadata });
    return { kind, name, detail: "", to: to(name) };
  });
}

/** Returns what the pages are about whose kind, name or place has every word of the search. */
export function searchView(snapshot: Snapshot, { find = "" }: Query): SearchView {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return { find, hits: [], found: 0 };
  const { list } = snapshot;
  const all = [
    ...objectHits(list(kinds.MaintenanceWindow), (window) => address("/windows", { window })),
    ...objectHits(list(kinds.HostedCluster), (cluster) => address("/hosted", { cluster })),
    ...objectHits(list(kinds.MachineConfigPool), (pool) => address("/mirrors", { pool })),
    ...mirrorRuleKinds.flatMap((kind) =>
      objectHits(list(kind), (name) => address("/mirrors", { object: `${kind.kind}/${name}` })),
    ),
    ...fleetsByUrgency(snapshot).flatMap((fleet) => fleetHits(fleet, snapshot)),
  ];
  const hits = all.filter(({ kind, name, detail, group = "" }) => {
    const text = `${kind} ${name} ${detail} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return { find, hits: hits.slice(0, maxHits), found: hits.length };
}
