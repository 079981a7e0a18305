import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** Throws `UsageError` for a pool that is not among the MachineConfigPools, if there are any. */
export function requirePool(objects: readonly KubernetesObject[], pool: string): void {
  const pools = objects.filter((object) => isKind(kinds.MachineConfigPool, object));
  if (pools.length > 0 && !pools.some(({ metadata }) => metadata.name === pool))
    throw new UsageError(`no such MachineConfigPool: ${pool}`);
}
