import { fieldsOf } from "../../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import type { ClusterReleases } from "../../openshift/releases/cluster-releases.ts";
import { type OperatorForm, operatorForm } from "../../openshift/releases/machine-config-operator.ts";

/** The ConfigMap whose presence, on some releases, keeps changes of registries.conf from draining nodes. */
export const drainOverride = {
  name: "image-registry-override-drain",
  namespace: "openshift-machine-config-operator",
} as const;

/** The versions of the kind that puts a pool in image mode. */
export const imageModeKinds = [kinds.MachineOSConfig, kinds.MachineOSConfigV1alpha1] as const;

/** Reports whether an object is the ConfigMap that keeps nodes from draining. */
export function isDrainOverride(object: KubernetesObject): boolean {
  const { name, namespace } = object.metadata;
  return (
    isKind(kinds.ConfigMap, object) && name === drainOverride.name && namespace === drainOverride.namespace
  );
}

/** Reports whether an object puts a pool in image mode. */
export function isMachineOSConfig(object: KubernetesObject): boolean {
  return imageModeKinds.some((kind) => isKind(kind, object));
}

/** Reports whether one of the objects is a MachineOSConfig for the pool, which puts it in image mode. */
export function isInImageMode(pool: string, objects: readonly KubernetesObject[]): boolean {
  return objects.some(
    (object) => isMachineOSConfig(object) && fieldsOf(fieldsOf(object.spec).machineConfigPool).name === pool,
  );
}

/** Returns what lowers or raises costs on the releases of a cluster; while it is updated, the higher cost counts. */
export function releaseEffects({
  current,
  begun,
}: ClusterReleases): Pick<OperatorForm, "readsDrainOverride" | "rebootsImageMode"> {
  const forms = [current, ...begun].map(operatorForm);
  return {
    readsDrainOverride: forms.every(({ readsDrainOverride }) => readsDrainOverride),
    rebootsImageMode: forms.some(({ rebootsImageMode }) => rebootsImageMode),
  };
}
