import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { anObject } from "../hub/objects.ts";

/** A NodePool of the hosted cluster `clusters/shop`, with three nodes that are replaced, and with these fields on top. */
export function aNodePool(name = "blue", spec: Readonly<Record<string, unknown>> = {}): KubernetesObject {
  const usual = { clusterName: "shop", replicas: 3, management: { upgradeType: "Replace" } };
  return anObject(kinds.NodePool, { namespace: "clusters", name }, { spec: { ...usual, ...spec } });
}

export const inPlace = { management: { upgradeType: "InPlace" } };
