import { displayName, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { type ClusterGroup, clusterGroupOf } from "#shared/domain/precache-progress/fleet/cluster-group.ts";
import { type Fleet, type FleetSites, fleetKey, fleetsByUrgency, sitesOfFleets } from "./fleet-summaries.ts";
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

/** What a search may find; only what is shown gets an address. */
type Searched = Omit<SearchHit, "to"> & Readonly<{ to: readonly [path: string, query: Query] }>;

function inFleet({ status }: Fleet, { label, siteOf }: FleetSites): readonly Searched[] {
  const upgrade = fleetKey(status);
  const { clusters, ended, total } = status;
  const sites = label === undefined ? [] : new Set(clusters.map(({ name }) => siteOf(name)));
  return [
    {
      kind: "ClusterGroupUpgrade",
      name: upgrade,
      detail: `${ended}/${total} ended`,
      to: ["/precaching", { upgrade }],
    },
    ...[...sites].map(
      (site): Searched => ({
        kind: "Site",
        name: site,
        detail: upgrade,
        to: ["/precaching", { upgrade, site }],
      }),
    ),
    ...clusters.map(
      (one): Searched => ({
        kind: "Cluster",
        name: one.name,
        detail: label === undefined ? upgrade : `${siteOf(one.name)}, ${upgrade}`,
        to: ["/precaching", { upgrade, cluster: one.name }],
        group: clusterGroupOf(one),
      }),
    ),
  ];
}

function named(
  objects: readonly KubernetesObject[],
  to: (name: string) => Searched["to"],
): readonly Searched[] {
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
  const sitesOf = sitesOfFleets(snapshot);
  const all = [
    ...named(list(kinds.MaintenanceWindow), (window) => ["/windows", { window }]),
    ...named(list(kinds.HostedCluster), (cluster) => ["/hosted", { cluster }]),
    ...named(list(kinds.MachineConfigPool), (pool) => ["/mirrors", { pool }]),
    ...mirrorRuleKinds.flatMap((kind) =>
      named(list(kind), (name) => ["/mirrors", { source: `${kind.kind}/${name}` }]),
    ),
    ...fleetsByUrgency(snapshot).flatMap((fleet) => inFleet(fleet, sitesOf(fleet))),
  ];
  const found = all.filter(({ kind, name, detail, group = "" }) => {
    const text = `${kind} ${name} ${detail} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const hits = found.slice(0, maxHits).map((one) => ({ ...one, to: address(...one.to) }));
  return { find, hits, found: found.length };
}
