import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import {
  type KubernetesObject,
  kinds,
  namespaceOf,
  parseNamespacedName,
  withAnnotation,
} from "#shared/domain/kubernetes/object.ts";
import { cguLabels } from "#shared/domain/precache-model/work-identity.ts";
import { type FleetStatus, fleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { type Hub, HubError, type HubReader } from "#shared/ports/hub.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { unknownName } from "../../program/unknown-name.ts";

function unknownUpgrade(name: string, cgus: readonly KubernetesObject[]): UsageError {
  const known = cgus.flatMap((cgu) => [cgu.metadata.name, `${namespaceOf(cgu)}/${cgu.metadata.name}`]);
  return unknownName(`no such ClusterGroupUpgrade: ${name}`, name, known);
}

/** Returns the items whose upgrade has one of `names` (`name` or `namespace/name`), or all items without names. */
export function namedUpgrades<Item>(
  items: readonly Item[],
  names: readonly string[],
  cguOf: (item: Item) => KubernetesObject,
): readonly Item[] {
  const isNamed = (item: Item, name: string): boolean => {
    const cgu = cguOf(item);
    return name === cgu.metadata.name || name === `${namespaceOf(cgu)}/${cgu.metadata.name}`;
  };
  const unknown = names.find((name) => !items.some((item) => isNamed(item, name)));
  if (unknown !== undefined) throw unknownUpgrade(unknown, items.map(cguOf));
  return names.length === 0 ? items : items.filter((item) => names.some((name) => isNamed(item, name)));
}

async function findUpgrade(hub: HubReader, named: string): Promise<KubernetesObject> {
  const place = named.includes("/") ? parseNamespacedName(named) : { name: named };
  const listed = await hub.list(kinds.ClusterGroupUpgrade, place);
  const found = listed.filter(({ metadata }) => metadata.name === place.name);
  const [cgu] = found;
  if (!cgu) throw unknownUpgrade(named, await hub.list(kinds.ClusterGroupUpgrade));
  if (found.length > 1) throw new UsageError(`several namespaces have a ${named}; write NAMESPACE/${named}.`);
  return cgu;
}

/** Reads a ClusterGroupUpgrade and its fleet. Throws `UsageError` if hubrelay does not pre-cache this upgrade. */
export async function readFleet(
  hub: HubReader,
  named: string,
): Promise<Readonly<{ cgu: KubernetesObject; fleet: FleetStatus }>> {
  const cgu = await findUpgrade(hub, named);
  const { namespace = "", name } = cgu.metadata;
  const labels = cguLabels({ namespace, name });
  const fleet = fleetStatus(cgu, await hub.list(kinds.PreCachingReport, { namespace, labels }), new Date());
  if (!fleet) throw new UsageError(`${cgu.metadata.name} is not pre-cached by hubrelay.`);
  return { cgu, fleet };
}

/** Throws `UsageError` for a cluster that does not belong to the fleet. */
export function requireClusters(fleet: FleetStatus, clusters: readonly string[]): void {
  const names = fleet.clusters.map(({ name }) => name);
  const unknown = clusters.find((cluster) => !names.includes(cluster));
  if (unknown) throw unknownName(`${fleet.name} does not pre-cache ${unknown}`, unknown, names);
}

const attempts = 10;

/**
 * Adds the request that `requestFor` makes to an annotation of a ClusterGroupUpgrade, after earlier requests that are
 * not in progress yet. Returns this request. After a write conflict, calls `requestFor` again.
 */
export async function requestByAnnotation<Request extends Readonly<{ wanted: readonly string[] }>>(
  hub: Hub,
  named: string,
  annotation: string,
  requestFor: (fleet: FleetStatus) => Request,
): Promise<Request> {
  for (let attempt = 1; ; attempt++) {
    const { cgu, fleet } = await readFleet(hub, named);
    const request = requestFor(fleet);
    if (request.wanted.length === 0) return request;
    const requested = ownValue(cgu.metadata.annotations, annotation)?.split(",") ?? [];
    const text = [...new Set([...requested, ...request.wanted])].join(",");
    try {
      await hub.update(withAnnotation(cgu, annotation, text));
      return request;
    } catch (error) {
      if (!(error instanceof HubError && error.code === "Conflict") || attempt >= attempts) throw error;
    }
  }
}
