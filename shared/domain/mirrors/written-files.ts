import { fieldIssue, type Issue, type IssueObject, type Severity } from "../issues/issue.ts";
import { byCodeUnit, isRecord, isSameJson, parseJson } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type NodeFile, nodePaths } from "../openshift/machine-config/node-file.ts";
import { sentence } from "../text/redact.ts";
import { tryParseRegistriesConf } from "./registries-conf/base-file.ts";

/** machine-config-operator writes the requirements of a scope in random order. An image must meet all of them. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(inOneOrder).sort((a, b) => byCodeUnit(JSON.stringify(a), JSON.stringify(b)));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b));
  return Object.fromEntries(fields.map(([key, field]) => [key, inOneOrder(field)]));
}

function contentOf({ path, contents }: NodeFile): unknown {
  if (path === nodePaths.registriesConf || path === nodePaths.searchRegistries) {
    const parsed = tryParseRegistriesConf(contents);
    return "conf" in parsed ? parsed.conf : undefined;
  }
  return path.endsWith(".json") ? inOneOrder(parseJson(contents)) : undefined;
}

function isSameFile(a: NodeFile, b: NodeFile): boolean {
  if (a.mode !== b.mode) return false;
  if (a.contents === b.contents) return true;
  const content = contentOf(a);
  return content !== undefined && isSameJson(content, contentOf(b));
}

/**
 * Returns each rendered file or, if a file in `present` has the same content in other bytes, that file. Releases write
 * equal content differently, and a node reloads its container runtime, or drains, when any byte changes.
 */
export function withPresentTexts(
  rendered: readonly NodeFile[],
  present: readonly NodeFile[],
): readonly NodeFile[] {
  const byPath = new Map(present.map((file) => [file.path, file]));
  return rendered.map((file) => {
    const found = byPath.get(file.path);
    return found && isSameFile(found, file) ? found : file;
  });
}

/** Reports whether the nodes' files (`present`) are exactly the rendered files, in any order. */
export function isEveryFilePresent(rendered: readonly NodeFile[], present: readonly NodeFile[]): boolean {
  const byPath = new Map(present.map((file) => [file.path, file]));
  return rendered.length === byPath.size && rendered.every((file) => isSameJson(byPath.get(file.path), file));
}

/** The largest merged MachineConfig that machine-config-operator accepts, in bytes of JSON. */
export const maxMachineConfigBytes = 1_572_864;
const warningPart = 0.8;

/** Returns an issue if a MachineConfig reaches 80 % of the limit. Above the limit, its severity is `tooLarge`. */
export function machineConfigSizeIssues(
  machineConfig: KubernetesObject,
  object: IssueObject,
  tooLarge: Severity = "error",
): readonly Issue[] {
  const bytes = Buffer.byteLength(JSON.stringify(machineConfig));
  if (bytes < maxMachineConfigBytes * warningPart) return [];
  const isTooLarge = bytes > maxMachineConfigBytes;
  const percent = Math.floor((bytes / maxMachineConfigBytes) * 100);
  return [
    fieldIssue(object, "spec.config.storage.files", bytes, {
      code: isTooLarge ? "MachineConfigTooLarge" : "MachineConfigLarge",
      severity: isTooLarge ? tooLarge : "warning",
      message: sentence`${machineConfig.metadata.name} takes ${percent} % of the ${maxMachineConfigBytes} bytes that a pool's MachineConfigs may have together.`,
      remedy:
        "Mirror whole registries or namespaces instead of single repositories, and list fewer scopes in image policies: one scope covers everything below it.",
    }),
  ];
}
