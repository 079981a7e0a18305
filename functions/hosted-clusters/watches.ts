import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** The kinds on the management cluster whose rules affect hosted clusters. */
export const mirrorKinds = [
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
] as const;

/** The key that is reconciled when mirrors change; it finds the affected hosted clusters. */
export const mirrorsKey = "mirrors";

function clusterKey({ namespace, name }: Readonly<{ namespace: string; name: string }>): string {
  return `${namespace}/${name}`;
}

/** Returns namespace and name of a hosted cluster from its key. */
export function clusterOf(key: string): Readonly<{ namespace: string; name: string }> {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The namespace of a control plane is `<namespace>-<name>` of its hosted cluster, with dashes for dots. */
function keyOfControlPlane({ namespace = "", name }: ObjectReference): string | undefined {
  const ending = `-${name.replaceAll(".", "-")}`;
  if (!namespace.endsWith(ending) || namespace.length === ending.length) return undefined;
  return clusterKey({ namespace: namespace.slice(0, -ending.length), name });
}

function mapToKey(reference: ObjectReference): string | undefined {
  if (mirrorKinds.some((kind) => isKind(kind, reference))) return mirrorsKey;
  if (isKind(kinds.HostedControlPlane, reference)) return keyOfControlPlane(reference);
  const { namespace, name } = reference;
  return isKind(kinds.HostedCluster, reference) && namespace ? clusterKey({ namespace, name }) : undefined;
}

/** The watches of the function, separate from its logic because the resync tick needs only them. */
export const hostedClustersWatches: Watches = {
  name: "hosted-clusters",
  queue: "hosted-clusters",
  timeoutSeconds: 120,
  kinds: [kinds.HostedCluster, kinds.HostedControlPlane, ...mirrorKinds],
  mapToKey,
};
