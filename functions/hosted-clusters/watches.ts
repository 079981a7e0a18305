import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** The kinds of the management cluster whose rules reach hosted clusters. */
export const mirrorKinds = [
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
] as const;

/** What is reconciled when mirrors change: who of all hosted clusters is concerned. */
export const mirrorsKey = "mirrors";

/** What names a hosted cluster in keys, events and actions. */
function clusterKey({ namespace, name }: Readonly<{ namespace: string; name: string }>): string {
  return `${namespace}/${name}`;
}

/** Namespace and name of a hosted cluster, from its key. */
export function clusterOf(key: string): Readonly<{ namespace: string; name: string }> {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The namespace of a control plane is that of its hosted cluster, a dash, and the name with dashes for dots. */
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

/** What wakes the function, apart from what it then does: the resync tick needs this alone. */
export const hostedClustersWatches: Watches = {
  name: "hosted-clusters",
  queue: "hosted-clusters",
  timeoutSeconds: 120,
  kinds: [kinds.HostedCluster, kinds.HostedControlPlane, ...mirrorKinds],
  mapToKey,
};
