import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";

/** A NodePool of the hosted cluster `clusters/shop`, with three nodes that are replaced, and with these fields on top. */
export function aNodePool(name = "blue", spec: Readonly<Record<string, unknown>> = {}): KubernetesObject {
  const { apiVersion, kind } = kinds.NodePool;
  return {
    apiVersion,
    kind,
    metadata: { namespace: "clusters", name },
    spec: { clusterName: "shop", replicas: 3, management: { upgradeType: "Replace" }, ...spec },
  };
}

export const inPlace = { management: { upgradeType: "InPlace" } };
