import type { Issue, IssueObject, Severity } from "../../issues/issue.ts";
import { byCodeUnit } from "../../json/order.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { encodeEntry } from "../registries-conf/registries-conf.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registry-entry.ts";

/**
 * The largest MachineConfig that machine-config-operator accepts, in bytes of JSON. Its limit applies to the
 * rendered one, which holds all MachineConfigs of a pool: this one must stay well below.
 */
export const largestMachineConfig = 1_572_864;
/** The operator warns from this part of the limit on. */
const warningPart = 0.8;
const namedSources = 5;

/** Includes the bytes of their entries, the largest first. */
function largestSources(entries: readonly RegistryEntry[]): string {
  return entries
    .map((entry) => ({ scope: scopeOf(entry), bytes: Buffer.byteLength(encodeEntry(entry)) }))
    .sort((a, b) => b.bytes - a.bytes || byCodeUnit(a.scope, b.scope))
    .slice(0, namedSources)
    .map(({ scope, bytes }) => `${scope} (${bytes} bytes)`)
    .join(", ");
}

/**
 * Returns the issue of a MachineConfig's size before it is written: an error above the limit, a warning from 80 %
 * on, nothing below. `object` is the object of the issue; `tooLarge` the severity above the limit.
 */
export function machineConfigSizeIssues(
  machineConfig: KubernetesObject,
  entries: readonly RegistryEntry[],
  object: IssueObject,
  tooLarge: Severity = "error",
): readonly Issue[] {
  const bytes = Buffer.byteLength(JSON.stringify(machineConfig));
  if (bytes < largestMachineConfig * warningPart) return [];
  const { name } = machineConfig.metadata;
  const isTooLarge = bytes > largestMachineConfig;
  const percent = Math.floor((bytes / largestMachineConfig) * 100);
  return [
    {
      code: isTooLarge ? "MachineConfigTooLarge" : "MachineConfigLarge",
      severity: isTooLarge ? tooLarge : "warning",
      object,
      path: "spec.config.storage.files",
      value: bytes,
      message: `${name} takes ${percent} % of the ${largestMachineConfig} bytes that a pool's MachineConfigs may have together.`,
      remedy: `Mirror whole registries or namespaces instead of single repositories. The largest sources: ${largestSources(entries)}.`,
    },
  ];
}
