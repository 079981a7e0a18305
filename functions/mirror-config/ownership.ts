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

/** The annotation that this function sets on a MachineConfig that it owns. */
export const ownerAnnotation = "hubrelay.dev/owned-by";
export const owner = "mirror-config";

/** `own`: hubrelay writes the MachineConfig. `verify`: it compares and reports, and writes only Events. */
export type Ownership = Readonly<{
  mode: "own" | "verify";
  /** The writer of the MachineConfig: hubrelay in own mode. */
  writer: "hubrelay" | "machine-config-operator" | "unknown";
  reason: string;
  issues: readonly Issue[];
}>;

/**
 * Decides who writes a pool's MachineConfig. If machine-config-operator has generated a MachineConfig for any pool, it
 * writes the MachineConfigs of all built-in pools. Otherwise hubrelay writes if the pool's annotation says so.
 */
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

/**
 * Returns which program writes the node files of a cluster with these objects: hubrelay if `ownershipOf` finds own mode
 * for any built-in pool, otherwise machine-config-operator.
 */
export function writerOf(objects: readonly KubernetesObject[]): Writer {
  const generated = objects.filter(
    (object) => isKind(kinds.MachineConfig, object) && isMachineConfigName(object.metadata.name),
  );
  const pools = objects.filter((object) => isKind(kinds.MachineConfigPool, object) && isBuiltInPool(object));
  const isOwned = (pool: KubernetesObject) => ownershipOf(pool, generated).mode === "own";
  return pools.some(isOwned) ? "hubrelay" : "machine-config-operator";
}
