import { omittedCapabilities } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { traceKinds } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { isRegistryRemoved } from "#shared/domain/hosted-clusters/disabled-capabilities/find-traces.ts";
import {
  type CapabilityTraces,
  findObject,
  type TraceLocation,
  traceLocations,
} from "#shared/domain/hosted-clusters/disabled-capabilities/trace.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError, type HubReader, ifPermitted } from "#shared/ports/hub.ts";

/** Only the presence of a Secret matters: its content goes no further. */
function withoutSecrets(object: KubernetesObject): KubernetesObject {
  if (!isKind(traceKinds.Secret, object)) return object;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } };
}

type Found = Readonly<{ objects: readonly KubernetesObject[]; unread: readonly TraceLocation[] }>;

async function readLocations(
  api: HubReader,
  locations: readonly TraceLocation[],
  alreadyRead: readonly KubernetesObject[] = [],
): Promise<Found> {
  const results = await Promise.all(
    locations.map(async (location) => {
      const { kind, name, namespace } = location;
      const object = findObject(alreadyRead, kind, name, namespace);
      return {
        location,
        ...(object
          ? { isPermitted: true, found: object }
          : await ifPermitted(api.get(kind, name, namespace))),
      };
    }),
  );
  return {
    objects: results.flatMap(({ found }) => (found ? [withoutSecrets(found)] : [])),
    unread: results.filter(({ isPermitted }) => !isPermitted).map(({ location }) => location),
  };
}

/** Returns undefined if the guest does not respond. The guest's service accounts show leftover pull secrets. */
async function readGuestLocations(
  guest: HubReader,
  locations: readonly TraceLocation[],
  isWithoutRegistry: boolean,
): Promise<Found | undefined> {
  try {
    const [found, accounts] = await Promise.all([
      readLocations(guest, locations),
      isWithoutRegistry ? ifPermitted(guest.list(traceKinds.ServiceAccount)) : undefined,
    ]);
    return { ...found, objects: [...found.objects, ...(accounts?.found ?? [])] };
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
}

const isRegistryConfig = ({ kind }: TraceLocation) => kind === traceKinds.RegistryConfig;
const isPullSecretSetting = ({ name }: TraceLocation) => name === "openshift-controller-manager-config";

/** What is known about a hosted cluster before its capability traces are read. */
export type TracesQuery = Readonly<{
  cluster: HostedCluster;
  /** Its guest; undefined if it is unreachable. */
  guest: HubReader | undefined;
  /** A cluster that is being installed is incomplete: nothing counts as missing yet. */
  isInstalled: boolean;
  /**
   * The control plane's objects that were already read, because hubrelay may write them. They are not read again: what
   * is reported about one of them and what is written to it must follow from the same version, or a report could
   * describe what a concurrent reconcile has written, and no event would correct it.
   */
  alreadyRead?: readonly KubernetesObject[];
}>;

/**
 * Returns the locations to read: of a disabled capability all, of the others those that must exist. A cluster with all
 * capabilities is checked if it is installed and hubrelay may read its guest; otherwise only the guest's registry
 * configuration is read.
 */
function locationsToRead(
  location: Readonly<{ platform: string; controlPlaneNamespace: string }>,
  disabled: readonly string[],
  { guest, isInstalled }: TracesQuery,
): readonly TraceLocation[] {
  if (disabled.length > 0 || (guest && isInstalled))
    return traceLocations(location, (capability) => disabled.includes(capability));
  return traceLocations(location).filter(isRegistryConfig);
}

const isAmong = (locations: readonly TraceLocation[], { where, kind, namespace, name }: TraceLocation) =>
  locations.some(
    (one) =>
      one.where === where && one.kind.kind === kind.kind && one.namespace === namespace && one.name === name,
  );

/** Reads the traces of a hosted cluster's capabilities. */
export async function observeTraces(hub: HubReader, query: TracesQuery): Promise<CapabilityTraces> {
  const { cluster, guest, isInstalled, alreadyRead } = query;
  const { omitted: disabled, undecided } = omittedCapabilities(cluster);
  const { controlPlaneNamespace } = cluster;
  const { type } = fieldsOf(fieldsOf(cluster.object.spec).platform);
  const platform = typeof type === "string" ? type : "None";
  const all = traceLocations({ platform, controlPlaneNamespace });
  const selected = locationsToRead({ platform, controlPlaneNamespace }, disabled, query);
  const inGuest = selected.filter(({ where }) => where === "guest");
  const guestResult = guest && (await readGuestLocations(guest, inGuest, disabled.includes("ImageRegistry")));
  const isRemoved = guestResult !== undefined && isRegistryRemoved({ guest: guestResult.objects }) === true;
  const onHub = all.filter(
    (location) =>
      location.where === "controlPlane" &&
      (isAmong(selected, location) || (isRemoved && isPullSecretSetting(location))),
  );
  const hubResult = await readLocations(hub, onHub, alreadyRead);
  return {
    disabled,
    undecided,
    platform,
    controlPlaneNamespace,
    controlPlane: hubResult.objects,
    guest: guestResult?.objects,
    unread: [
      ...hubResult.unread,
      ...(guestResult?.unread ?? []),
      // An object that was not looked up, or cannot exist yet, must not be reported as missing.
      ...all.filter((location) => !isInstalled || !(isAmong(inGuest, location) || isAmong(onHub, location))),
    ],
  };
}
