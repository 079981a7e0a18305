import { lookedAt } from "#shared/domain/hosted-clusters/absence/expected-objects.ts";
import {
  type CapabilityTraces,
  type Place,
  placesToLook,
} from "#shared/domain/hosted-clusters/absence/find-traces.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/choice.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/hosted-cluster.ts";
import { isKind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError, type HubReader } from "#shared/ports/hub.ts";
import { ifPermitted } from "./if-permitted.ts";

/** That it is there is all that counts of a Secret: its content goes no further. */
function withoutSecrets(object: KubernetesObject): KubernetesObject {
  if (!isKind(lookedAt.Secret, object)) return object;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } };
}

type Found = Readonly<{ objects: readonly KubernetesObject[]; unread: readonly Place[] }>;

async function look(api: HubReader, places: readonly Place[]): Promise<Found> {
  const looked = await Promise.all(
    places.map(async (place) => ({
      place,
      ...(await ifPermitted(api.get(place.kind, place.name, place.namespace))),
    })),
  );
  return {
    objects: looked.flatMap(({ found }) => (found ? [withoutSecrets(found)] : [])),
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

const isRegistryConfig = ({ kind }: Place) => kind === lookedAt.RegistryConfig;
const isPullSecretSetting = ({ name }: Place) => name === "openshift-controller-manager-config";

/** True when the registry is removed by its own configuration, the way that was before the capability. */
function isRemovedByConfig({ objects }: Found): boolean {
  return objects.some(
    (object) => isKind(lookedAt.RegistryConfig, object) && Object(object.spec).managementState === "Removed",
  );
}

/**
 * What there is of the capabilities of a hosted cluster. A cluster that is to be without one is looked through, which
 * takes some sixty requests; of every other only the guest's registry configuration is read, and what it does to the
 * control plane where it removes the registry.
 */
export async function observeTraces(
  hub: HubReader,
  guest: HubReader | undefined,
  cluster: HostedCluster,
): Promise<CapabilityTraces> {
  const { disabled } = readCapabilityChoice(cluster.capabilities);
  const isAboutAll = disabled.length > 0;
  const { controlPlaneNamespace } = cluster;
  const { type } = Object(Object(cluster.object.spec).platform);
  const platform = typeof type === "string" ? type : "None";
  const places = placesToLook({ platform, controlPlaneNamespace });
  const inGuest = places.filter(
    (place) => place.where === "guest" && (isAboutAll || isRegistryConfig(place)),
  );
  const there = guest && (await lookInGuest(guest, inGuest, disabled.includes("ImageRegistry")));
  const isRemoved = there !== undefined && isRemovedByConfig(there);
  const onHub = places.filter(
    (place) => place.where === "controlPlane" && (isAboutAll || (isRemoved && isPullSecretSetting(place))),
  );
  const here = await look(hub, onHub);
  const asked = new Set([...inGuest, ...onHub]);
  return {
    disabled,
    platform,
    controlPlaneNamespace,
    controlPlane: here.objects,
    guest: there?.objects,
    unread: [
      ...here.unread,
      ...(there?.unread ?? []),
      // Nothing can be said to be missing where nobody looked; the registry's own configuration may come later.
      ...places.filter((place) => !asked.has(place) || (!isAboutAll && isRegistryConfig(place))),
    ],
  };
}
