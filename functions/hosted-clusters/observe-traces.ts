import { lookedAt } from "#shared/domain/hosted-clusters/absence/expected-objects.ts";
import {
  type CapabilityTraces,
  type Place,
  placesToLook,
} from "#shared/domain/hosted-clusters/absence/find-traces.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/choice.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/hosted-cluster.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { ifPermitted } from "./if-permitted.ts";

type Found = Readonly<{ objects: readonly KubernetesObject[]; unread: readonly Place[] }>;

async function look(api: HubReader, places: readonly Place[]): Promise<Found> {
  const looked = await Promise.all(
    places.map(async (place) => ({
      place,
      ...(await ifPermitted(api.get(place.kind, place.name, place.namespace))),
    })),
  );
  return {
    objects: looked.flatMap(({ found }) => (found ? [found] : [])),
    unread: looked.filter(({ isPermitted }) => !isPermitted).map(({ place }) => place),
  };
}

/** The same in the guest, undefined when it does not answer. Its service accounts tell of pull secrets. */
async function lookInGuest(
  guest: HubReader,
  places: readonly Place[],
  isWithoutRegistry: boolean,
): Promise<Found | undefined> {
  try {
    const [found, accounts] = await Promise.all([
      look(guest, places),
      isWithoutRegistry ? ifPermitted(guest.list(lookedAt.ServiceAccount)) : undefined,
    ]);
    return { ...found, objects: [...found.objects, ...(accounts?.found ?? [])] };
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
}

/**
 * What there is of the capabilities of a hosted cluster. Only a cluster that is to be without one is looked through:
 * it takes some sixty requests. Undefined for every other.
 */
export async function observeTraces(
  hub: HubReader,
  guest: HubReader | undefined,
  cluster: HostedCluster,
): Promise<CapabilityTraces | undefined> {
  const { disabled } = readCapabilityChoice(cluster.capabilities);
  if (disabled.length === 0) return undefined;
  const { controlPlaneNamespace } = cluster;
  const { type } = Object(Object(cluster.object.spec).platform);
  const platform = typeof type === "string" ? type : "None";
  const places = placesToLook({ platform, controlPlaneNamespace });
  const within = (where: Place["where"]) => places.filter((place) => place.where === where);
  const [controlPlane, inGuest] = await Promise.all([
    look(hub, within("controlPlane")),
    guest ? lookInGuest(guest, within("guest"), disabled.includes("ImageRegistry")) : undefined,
  ]);
  return {
    disabled,
    platform,
    controlPlaneNamespace,
    controlPlane: controlPlane.objects,
    guest: inGuest?.objects,
    unread: [...controlPlane.unread, ...(inGuest?.unread ?? [])],
  };
}
