import { sentence } from "#shared/domain/credentials/redact.ts";
import { flagIssues, takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import { annotationIssue, type Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import {
  generatedByAnnotation,
  isBuiltInPool,
  isMachineConfigName,
} from "#shared/domain/machine-config/machine-config.ts";
import type { Writer } from "#shared/domain/mirrors/node-config/read-input.ts";

/** Set by this function on a MachineConfig that it owns. */
export const ownerAnnotation = "hubrelay.dev/owned-by";
export const owner = "mirror-config";

/** `own`: hubrelay writes the MachineConfig. `verify`: it compares and reports, and writes only Events. */
export type Ownership = Readonly<{
  mode: "own" | "verify";
  /** Who writes it: hubrelay in own mode. */
  writer: string;
  reason: string;
  issues: readonly Issue[];
}>;

const hubrelay = { mode: "own", writer: "hubrelay" } as const;

/** Reports whether machine-config-operator wrote the MachineConfig. */
export function isGenerated(machineConfig: KubernetesObject | undefined): boolean {
  return machineConfig?.metadata.annotations?.[generatedByAnnotation] !== undefined;
}

/**
 * Decides from the evidence on the hub who writes a pool's MachineConfig. machine-config-operator generates one for
 * every built-in pool, so a single generated one means that it runs, and hubrelay verifies all pools.
 */
export function ownershipOf(
  pool: KubernetesObject,
  machineConfig: KubernetesObject | undefined,
  allMachineConfigs: readonly KubernetesObject[],
): Ownership {
  const issues = flagIssues(pool, takeOverAnnotation);
  const takeOver = pool.metadata.annotations?.[takeOverAnnotation];
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
      issues: takeOver === "true" ? [refused] : issues,
    };
  }
  if (!machineConfig) return { ...hubrelay, reason: "no other owner was found", issues };
  if (machineConfig.metadata.annotations?.[ownerAnnotation] === owner)
    return { ...hubrelay, reason: "hubrelay wrote it", issues };
  return takeOver === "true"
    ? { ...hubrelay, reason: `taken over by the annotation ${takeOverAnnotation}`, issues }
    : {
        mode: "verify",
        writer: "unknown",
        reason: `an unknown writer wrote it; the annotation ${takeOverAnnotation}: "true" on the pool hands it over to hubrelay`,
        issues,
      };
}

/**
 * Returns who writes the files of a cluster with these objects, as on a hub with them: hubrelay where a pool hands its
 * MachineConfig over and machine-config-operator generates none.
 */
export function writerOf(objects: readonly KubernetesObject[]): Writer {
  const isGeneratedOne = (object: KubernetesObject) =>
    isKind(kinds.MachineConfig, object) && isMachineConfigName(object.metadata.name) && isGenerated(object);
  const isHandedOver = (object: KubernetesObject) =>
    isKind(kinds.MachineConfigPool, object) &&
    isBuiltInPool(object) &&
    object.metadata.annotations?.[takeOverAnnotation] === "true";
  return objects.some(isHandedOver) && !objects.some(isGeneratedOne) ? "hubrelay" : "machine-config-operator";
}
