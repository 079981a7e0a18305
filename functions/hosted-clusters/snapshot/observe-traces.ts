import { omittedCapabilities } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { traceKinds } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
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

async function readLocations(
  api: HubReader,
  locations: readonly TraceLocation[],
  alreadyRead: readonly KubernetesObject[] = [],
): Promise<readonly KubernetesObject[]> {
  const found = await Promise.all(
    locations.map(async ({ kind, name, namespace }) => {
      const object = findObject(alreadyRead, kind, name, namespace);
      return object ?? (await ifPermitted(api.get(kind, name, namespace))).found;
    }),
  );
  return found.flatMap((object) => (object ? [withoutSecrets(object)] : []));
}

/** Undefined if the guest does not respond. Includes its service accounts, which show leftover pull secrets. */
async function readGuestLocations(
  guest: HubReader,
  locations: readonly TraceLocation[],
  isWithoutRegistry: boolean,
): Promise<readonly KubernetesObject[] | undefined> {
  try {
    const [found, accounts] = await Promise.all([
      readLocations(guest, locations),
      isWithoutRegistry ? ifPermitted(guest.list(traceKinds.ServiceAccount)) : undefined,
    ]);
    return [...found, ...(accounts?.found ?? [])];
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
}

const registryConfig: TraceLocation = { where: "guest", kind: traceKinds.RegistryConfig, name: "cluster" };

/** The input for reading a hosted cluster's capability traces. */
export type TracesQuery = Readonly<{
  cluster: HostedCluster;
  /** Undefined if the guest is unreachable. */
  guest: HubReader | undefined;
  /**
   * The control plane's objects that were already read, because hubrelay may write them. They are not read again: report
   * and write of an object must follow from the same version, or a report could describe the write of a concurrent
   * reconcile, and no event would correct it.
   */
  alreadyRead?: readonly KubernetesObject[];
}>;

/**
 * Reads the traces of a hosted cluster's disabled capabilities. If hubrelay writes the control plane's settings, the
 * guest's registry configuration decides them as well.
 */
export async function observeTraces(hub: HubReader, query: TracesQuery): Promise<CapabilityTraces> {
  const { cluster, guest, alreadyRead = [] } = query;
  const { omitted: disabled } = omittedCapabilities(cluster);
  const { controlPlaneNamespace } = cluster;
  const { type } = fieldsOf(fieldsOf(cluster.object.spec).platform);
  const base = { disabled, platform: typeof type === "string" ? type : "None", controlPlaneNamespace };
  const locations = traceLocations(base);
  const isWithoutRegistry = disabled.includes("ImageRegistry");
  const inGuest = [
    ...locations.filter(({ where }) => where === "guest"),
    ...(alreadyRead.length > 0 && !isWithoutRegistry ? [registryConfig] : []),
  ];
  return {
    ...base,
    guest: guest && (await readGuestLocations(guest, inGuest, isWithoutRegistry)),
    controlPlane: await readLocations(
      hub,
      locations.filter(({ where }) => where === "controlPlane"),
      alreadyRead,
    ),
  };
}
