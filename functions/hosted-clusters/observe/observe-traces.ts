import { lookedAt } from "#shared/domain/hosted-clusters/absence/expected-objects.ts";
import { isRegistryRemoved } from "#shared/domain/hosted-clusters/absence/registry-traces.ts";
import type { CapabilityTraces, Place } from "#shared/domain/hosted-clusters/absence/trace.ts";
import { traceLocations } from "#shared/domain/hosted-clusters/absence/trace-locations.ts";
import { readCapabilityChoice } from "#shared/domain/hosted-clusters/capabilities/resolve.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
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

/** What is known of a hosted cluster before its capabilities are looked after. */
export type TracesQuestion = Readonly<{
  cluster: HostedCluster;
  /** Its guest; undefined when it cannot be reached. */
  guest: HubReader | undefined;
  /** A cluster that is being installed has little of what it will have: nothing is missing yet. */
  isInstalled: boolean;
}>;

/**
 * Which places tell something of this hosted cluster. One that is to be without a capability is looked through, which
 * takes some forty requests. One that has all of them is looked at for what is missing, which takes twenty-five, when
 * it is installed and a person has let hubrelay see its guest; of any other the guest's registry configuration alone.
 */
function placesOf(
  place: Readonly<{ platform: string; controlPlaneNamespace: string }>,
  isAboutAll: boolean,
  { guest, isInstalled }: TracesQuestion,
): readonly Place[] {
  if (isAboutAll) return traceLocations(place);
  if (guest && isInstalled) return traceLocations(place, { isAboutMissing: true });
  return traceLocations(place).filter(isRegistryConfig);
}

const isAmong = (places: readonly Place[], { where, kind, namespace, name }: Place) =>
  places.some(
    (one) =>
      one.where === where && one.kind.kind === kind.kind && one.namespace === namespace && one.name === name,
  );

/** What there is of the capabilities of a hosted cluster. */
export async function observeTraces(hub: HubReader, question: TracesQuestion): Promise<CapabilityTraces> {
  const { cluster, guest, isInstalled } = question;
  const { disabled } = readCapabilityChoice(cluster.capabilities);
  const { controlPlaneNamespace } = cluster;
  const { type } = Object(Object(cluster.object.spec).platform);
  const platform = typeof type === "string" ? type : "None";
  const all = traceLocations({ platform, controlPlaneNamespace });
  const asked = placesOf({ platform, controlPlaneNamespace }, disabled.length > 0, question);
  const inGuest = asked.filter(({ where }) => where === "guest");
  const there = guest && (await lookInGuest(guest, inGuest, disabled.includes("ImageRegistry")));
  const isRemoved = there !== undefined && isRegistryRemoved({ guest: there.objects }) === true;
  const onHub = all.filter(
    (place) =>
      place.where === "controlPlane" && (isAmong(asked, place) || (isRemoved && isPullSecretSetting(place))),
  );
  const here = await look(hub, onHub);
  return {
    disabled,
    platform,
    controlPlaneNamespace,
    controlPlane: here.objects,
    guest: there?.objects,
    unread: [
      ...here.unread,
      ...(there?.unread ?? []),
      // Nothing can be said to be missing where nobody looked, or before it can be there.
      ...all.filter((place) => !isInstalled || !(isAmong(inGuest, place) || isAmong(onHub, place))),
    ],
  };
}
