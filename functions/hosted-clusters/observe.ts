import {
  controlPlaneNamespace,
  type HostedCluster,
  readHostedCluster,
} from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { settingsConfigMaps } from "#shared/domain/hosted-clusters/disabled-capabilities/settings.ts";
import type { RegistryTraces } from "#shared/domain/hosted-clusters/disabled-capabilities/trace.ts";
import { imageStreamName } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import { ownershipOf } from "#shared/domain/hosted-clusters/ownership.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import {
  type Kind,
  type KubernetesObject,
  kinds,
  parseNamespacedName,
} from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Registry } from "#shared/ports/registry.ts";
import { type ResolvedAccess, registryAccess } from "#shared/registry/registry-access.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";
import { accessIssues } from "./snapshot/access-issues.ts";
import { type CatalogFindings, findCatalogs } from "./snapshot/find-catalogs.ts";
import { findPayload, type Payload } from "./snapshot/find-payload.ts";
import { type GuestSnapshot, observeGuest } from "./snapshot/guest-snapshot.ts";
import { recallRepositories } from "./snapshot/mirror-fingerprint.ts";
import { readMirrors } from "./snapshot/observe-tick.ts";
import { observeTraces } from "./snapshot/observe-traces.ts";
import {
  controlPlaneOperator,
  eventLabels,
  hypershiftOperator,
  ignitionConfigName,
  imageStreamService,
  overridesReaders,
} from "./well-known-names.ts";

/** The objects of a control plane that hubrelay or HyperShift writes; undefined if an object does not exist. */
export type ControlPlane = Readonly<{
  hostedControlPlane: KubernetesObject | undefined;
  operator: KubernetesObject | undefined;
  /** Read only in verify mode; otherwise empty. */
  overridesReaders: readonly KubernetesObject[];
  hasImageStreams: boolean;
  imageStream: KubernetesObject | undefined;
  ignitionConfig: KubernetesObject | undefined;
  settings: readonly KubernetesObject[];
}>;

/** What was read about a hosted cluster. It contains no secrets. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  /** The name of the hosted cluster as `namespace/name`. */
  key: string;
  hostedCluster: KubernetesObject | undefined;
  /** The resourceVersion at the first read of the HostedCluster. A write of derived fields must have this version. */
  readAt: string | undefined;
  objectEvents: readonly KubernetesObject[];
  hypershiftOperator: KubernetesObject | undefined;
  /** With `own`, hubrelay writes the control plane's objects; with `verify`, it only compares them. */
  mode: "own" | "verify";
  controlPlane: ControlPlane;
  guest: GuestSnapshot;
  mirrorObjects: readonly KubernetesObject[];
  /** What a disabled image registry has left behind; undefined if the hosted cluster does not exist. */
  traces: RegistryTraces | undefined;
  findings: CatalogFindings;
  payload: Payload;
  /** An issue if the ConfigMap with certificate authorities for registries could not be read. */
  accessIssues: readonly Issue[];
}>;

const isFound = (object: KubernetesObject | undefined) => object !== undefined;

async function observeControlPlane(
  hub: HubReader,
  name: string,
  namespace: string,
  mode: "own" | "verify",
): Promise<ControlPlane> {
  const isOwn = mode === "own";
  const readAll = (kind: Kind, names: readonly string[]) =>
    Promise.all(names.map((one) => hub.get(kind, one, namespace)));
  const [hostedControlPlane, operator, service, ignitionConfig, settings, readers] = await Promise.all([
    hub.get(kinds.HostedControlPlane, name, namespace),
    hub.get(kinds.Deployment, controlPlaneOperator, namespace),
    isOwn ? hub.get(kinds.APIService, imageStreamService) : undefined,
    isOwn ? hub.get(kinds.ConfigMap, ignitionConfigName, namespace) : undefined,
    readAll(kinds.ConfigMap, isOwn ? settingsConfigMaps : []),
    readAll(kinds.Deployment, isOwn ? [] : overridesReaders),
  ]);
  const hasImageStreams = service !== undefined;
  const imageStream = hasImageStreams
    ? await hub.get(kinds.ImageStream, imageStreamName, namespace)
    : undefined;
  return {
    hostedControlPlane,
    operator,
    overridesReaders: readers.filter(isFound),
    hasImageStreams,
    imageStream,
    ignitionConfig,
    settings: settings.filter(isFound),
  };
}

async function lookUp(
  hub: HubReader,
  registry: Registry,
  {
    cluster,
    mirrorObjects,
    objectEvents,
    mode,
  }: Pick<Snapshot, "mirrorObjects" | "objectEvents" | "mode"> & Readonly<{ cluster: HostedCluster }>,
): Promise<Pick<Snapshot, "findings" | "payload" | "accessIssues">> {
  let resolved: Promise<ResolvedAccess> | undefined;
  const base = {
    cluster,
    mirrorObjects,
    registry,
    access: async () => {
      resolved ??= registryAccess(hub, cluster.controlPlaneNamespace);
      return (await resolved).access;
    },
  };
  const [findings, payload] = await Promise.all([
    findCatalogs({ ...base, mode }),
    findPayload({ ...base, remembered: recallRepositories(cluster, objectEvents) }),
  ]);
  // Access to some registries may be missing. This is an issue only if a lookup has failed.
  const hasFailed = findings.state === "incomplete" || payload.state === "unknown";
  return { findings, payload, accessIssues: hasFailed ? accessIssues(cluster, await resolved) : [] };
}

/** Reads everything that the plan of a hosted cluster depends on, first the objects that the plan may write. */
export async function observe({
  hub,
  key,
  now,
  external: { registry, guests },
}: ReconcileRequest<"registry" | "guests">): Promise<Snapshot> {
  const { namespace, name } = parseNamespacedName(key);
  const ownNamespace = controlPlaneNamespace(namespace, name);
  const [objectEvents, operator] = await Promise.all([
    hub.list(kinds.Event, { namespace, labels: eventLabels(key) }),
    hub.get(kinds.Deployment, hypershiftOperator.name, hypershiftOperator.namespace),
  ]);
  const target = await hub.get(kinds.HostedCluster, name, namespace);
  const mode = target ? ownershipOf(target, operator).mode : "verify";
  const [controlPlane, guest] = await Promise.all([
    observeControlPlane(hub, name, ownNamespace, mode),
    observeGuest(hub, guests, { key, controlPlaneNamespace: ownNamespace, mode }),
  ]);
  const [hostedCluster, mirrorObjects] = await Promise.all([
    // In own mode, the objects read above are derived from the HostedCluster. So the HostedCluster is read again here.
    mode === "own" ? hub.get(kinds.HostedCluster, name, namespace) : target,
    readMirrors(hub),
  ]);
  const read = hostedCluster && readHostedCluster(hostedCluster).cluster;
  const isSeen = guest.state === "seen";
  const traces =
    read &&
    (await observeTraces(hub, {
      cluster: read,
      guest: isSeen ? guests.opened(key) : undefined,
      alreadyRead: controlPlane.settings,
    }));
  const ofRegistries = read
    ? await lookUp(hub, registry, { cluster: read, mirrorObjects, objectEvents, mode })
    : ({ findings: { state: "not needed" }, payload: { state: "published" }, accessIssues: [] } as const);
  return {
    now,
    hubId: hub.id,
    key,
    hostedCluster,
    readAt: target?.metadata.resourceVersion,
    objectEvents,
    hypershiftOperator: operator,
    mode,
    controlPlane,
    guest,
    mirrorObjects,
    traces,
    ...ofRegistries,
  };
}
