import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { unknownName } from "../../program/unknown-name.ts";

/** Throws `UsageError` for a pool that is not among the MachineConfigPools, if there are any. */
export function requirePool(objects: readonly KubernetesObject[], pool: string): void {
  const pools = objects.filter((object) => isKind(kinds.MachineConfigPool, object));
  const names = pools.map(({ metadata }) => metadata.name);
  if (names.length > 0 && !names.includes(pool))
    throw unknownName(`no such MachineConfigPool: ${pool}`, pool, names);
}
