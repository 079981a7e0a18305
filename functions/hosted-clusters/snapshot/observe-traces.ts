import { isRegistryOmitted } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { traceKinds } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import {
  findObject,
  type RegistryTraces,
  type TraceLocation,
  traceLocations,
} from "#shared/domain/hosted-clusters/disabled-capabilities/trace.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError, type HubReader, ifPermitted } from "#shared/ports/hub.ts";

/** The content of a Secret must not be passed on. */
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

async function readGuestLocations(
  guest: HubReader,
  locations: readonly TraceLocation[],
  isDisabled: boolean,
): Promise<readonly KubernetesObject[] | undefined> {
  try {
    const [found, accounts] = await Promise.all([
      readLocations(guest, locations),
      isDisabled ? ifPermitted(guest.list(traceKinds.ServiceAccount)) : undefined,
    ]);
    return [...found, ...(accounts?.found ?? [])];
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
}

const registryConfig: TraceLocation = { where: "guest", kind: traceKinds.RegistryConfig, name: "cluster" };

/** The hosted cluster whose image registry may have left something behind, and its guest. */
export type TracesQuery = Readonly<{
  cluster: HostedCluster;
  /** Undefined if the guest is unreachable. */
  guest: HubReader | undefined;
  /** Objects that the plan may write. They are not read again: a newer version could contain a concurrent write. */
  alreadyRead?: readonly KubernetesObject[];
}>;

/** Reads what a disabled image registry of a hosted cluster has left behind. */
export async function observeTraces(hub: HubReader, query: TracesQuery): Promise<RegistryTraces> {
  const { cluster, guest, alreadyRead = [] } = query;
  const isDisabled = isRegistryOmitted(cluster) === true;
  const { controlPlaneNamespace } = cluster;
  const { type } = fieldsOf(fieldsOf(cluster.object.spec).platform);
  const base = { isDisabled, platform: typeof type === "string" ? type : "None", controlPlaneNamespace };
  const locations = traceLocations(base);
  const inGuest = [
    ...locations.filter(({ where }) => where === "guest"),
    ...(alreadyRead.length > 0 && !isDisabled ? [registryConfig] : []),
  ];
  return {
    ...base,
    guest: guest && (await readGuestLocations(guest, inGuest, isDisabled)),
    controlPlane: await readLocations(
      hub,
      locations.filter(({ where }) => where === "controlPlane"),
      alreadyRead,
    ),
  };
}
