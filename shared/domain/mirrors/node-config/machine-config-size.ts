import { fieldIssue, type Issue, type IssueObject, type Severity } from "../../issues/issue.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type NodeFile, nodePaths } from "../../openshift/machine-config/node-file.ts";
import { sentence } from "../../text/redact.ts";
import { encodeEntry, type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";

/**
 * The largest MachineConfig that machine-config-operator accepts, in bytes of JSON. Its limit applies to the
 * rendered one, which holds all MachineConfigs of a pool: this one must stay well below.
 */
export const maxMachineConfigBytes = 1_572_864;
/** The operator warns from this part of the limit on. */
const warningPart = 0.8;
const maxNamed = 5;

type Rendered = Readonly<{ files: readonly NodeFile[]; entries: readonly RegistryEntry[] }>;
type Sized = Readonly<{ name: string; bytes: number }>;

/** Names the largest first, each with its bytes. */
function largest(sized: readonly Sized[]): string {
  return sized
    .toSorted((a, b) => b.bytes - a.bytes || byCodeUnit(a.name, b.name))
    .slice(0, maxNamed)
    .map(({ name, bytes }) => sentence`${name} (${bytes} bytes)`)
    .join(", ");
}

/** What takes most of the room is worth changing: the sources of registries.conf, or the scopes of image policies. */
function sizeRemedy({ files, entries }: Rendered): string {
  const sizes = files.map(({ path, contents }) => ({ name: path, bytes: Buffer.byteLength(contents) }));
  const mirrors = sizes.find(({ name }) => name === nodePaths.registriesConf)?.bytes ?? 0;
  const isOfMirrors = 2 * mirrors >= sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const sources = entries.map((entry) => ({
    name: scopeOf(entry),
    bytes: Buffer.byteLength(encodeEntry(entry)),
  }));
  const advice = isOfMirrors
    ? sentence`Mirror whole registries or namespaces instead of single repositories. The largest sources: ${largest(sources)}.`
    : "List fewer scopes in image policies: one scope covers everything below it.";
  return sentence`${advice} The largest files: ${largest(sizes)}.`;
}

/**
 * Returns the issue of a MachineConfig's size before it is written: an error above the limit, a warning from 80 %
 * on, nothing below. `object` is the object of the issue; `tooLarge` the severity above the limit.
 */
export function machineConfigSizeIssues(
  machineConfig: KubernetesObject,
  rendered: Rendered,
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
      remedy: sizeRemedy(rendered),
    }),
  ];
}
