import { fieldIssue, type Issue, type IssueObject, type Severity } from "../../issues/issue.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type NodeFile, nodePaths } from "../../openshift/machine-config/node-file.ts";
import { sentence } from "../../text/redact.ts";

/**
 * The largest MachineConfig that machine-config-operator accepts, in bytes of JSON. Its limit applies to the
 * rendered one, which holds all MachineConfigs of a pool: this one must stay well below.
 */
export const maxMachineConfigBytes = 1_572_864;
/** The operator warns from this fraction of the limit on. */
const warningPart = 0.8;
const maxNamed = 5;

/** Returns how to shrink the largest content: sources of registries.conf, or scopes of image policies; with the files. */
function sizeRemedy(files: readonly NodeFile[]): string {
  const sizes = files
    .map(({ path, contents }) => ({ path, bytes: Buffer.byteLength(contents) }))
    .sort((a, b) => b.bytes - a.bytes || byCodeUnit(a.path, b.path));
  const advice =
    sizes[0]?.path === nodePaths.registriesConf
      ? "Mirror whole registries or namespaces instead of single repositories."
      : "List fewer scopes in image policies: one scope covers everything below it.";
  const largest = sizes.slice(0, maxNamed).map(({ path, bytes }) => sentence`${path} (${bytes} bytes)`);
  return sentence`${advice} The largest files: ${largest.join(", ")}.`;
}

/**
 * Returns the issue of a MachineConfig's size before it is written: an error above the limit, a warning from 80 % on,
 * otherwise nothing. `object` is the object of the issue; `tooLarge` the severity above the limit.
 */
export function machineConfigSizeIssues(
  machineConfig: KubernetesObject,
  { files }: Readonly<{ files: readonly NodeFile[] }>,
  object: IssueObject,
  tooLarge: Severity = "error",
): readonly Issue[] {
  const bytes = Buffer.byteLength(JSON.stringify(machineConfig));
  if (bytes < maxMachineConfigBytes * warningPart) return [];
  const { name } = machineConfig.metadata;
  const isTooLarge = bytes > maxMachineConfigBytes;
  const percent = Math.floor((bytes / maxMachineConfigBytes) * 100);
  return [
    fieldIssue(object, "spec.config.storage.files", bytes, {
      code: isTooLarge ? "MachineConfigTooLarge" : "MachineConfigLarge",
      severity: isTooLarge ? tooLarge : "warning",
      message: sentence`${name} takes ${percent} % of the ${maxMachineConfigBytes} bytes that a pool's MachineConfigs may have together.`,
      remedy: sizeRemedy(files),
    }),
  ];
}
