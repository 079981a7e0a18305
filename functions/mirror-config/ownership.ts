import { flagIssues, notHandedOver, takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import { annotationIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Writer } from "#shared/domain/mirrors/node-config/read-input.ts";
import {
  isBuiltInPool,
  isGenerated,
  isMachineConfigName,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
import { sentence } from "#shared/domain/text/redact.ts";

/** The annotation that marks a MachineConfig as written by this function. */
export const ownerAnnotation = "hubrelay.dev/owned-by";
export const owner = "mirror-config";

/** Who writes a MachineConfig. With `own`, hubrelay does. With `verify`, hubrelay only compares, and writes Events. */
export type Ownership = Readonly<{
  mode: "own" | "verify";
  writer: "hubrelay" | "machine-config-operator" | "unknown";
  reason: string;
  issues: readonly Issue[];
}>;

/** Returns who writes a pool's MachineConfig, from the pool's annotation and the MachineConfigs of all pools. */
export function ownershipOf(
  pool: KubernetesObject,
  allMachineConfigs: readonly KubernetesObject[],
): Ownership {
  const issues = flagIssues(pool, takeOverAnnotation);
  const isHandedOver = pool.metadata.annotations?.[takeOverAnnotation] === "true";
  const generated = allMachineConfigs.find(isGenerated);
  if (generated) {
    const refused = annotationIssue(pool, takeOverAnnotation, {
      code: "TakeOverRefused",
      message: sentence`machine-config-operator still generates ${generated.metadata.name} and would overwrite every take-over.`,
      remedy:
        "Stop machine-config-operator and delete its MachineConfigs first, or remove the annotation and let hubrelay verify.",
    });
    return {
      mode: "verify",
      writer: "machine-config-operator",
      reason: sentence`machine-config-operator generates ${generated.metadata.name}`,
      issues: isHandedOver ? [refused] : issues,
    };
  }
  return isHandedOver
    ? {
        mode: "own",
        writer: "hubrelay",
        reason: `handed over by the annotation ${takeOverAnnotation}`,
        issues,
      }
    : {
        mode: "verify",
        writer: "unknown",
        reason: notHandedOver(pool),
        issues,
      };
}

/** Returns the program that writes the node files of a cluster with these objects. */
export function writerOf(objects: readonly KubernetesObject[]): Writer {
  const generated = objects.filter(
    (object) => isKind(kinds.MachineConfig, object) && isMachineConfigName(object.metadata.name),
  );
  const pools = objects.filter((object) => isKind(kinds.MachineConfigPool, object) && isBuiltInPool(object));
  const isOwned = (pool: KubernetesObject) => ownershipOf(pool, generated).mode === "own";
  return pools.some(isOwned) ? "hubrelay" : "machine-config-operator";
}
