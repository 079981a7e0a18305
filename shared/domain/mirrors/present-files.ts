import { byCodeUnit, isRecord, isSameJson, parseJson } from "../kubernetes/json/values.ts";
import { type NodeFile, nodePaths } from "../openshift/machine-config/node-file.ts";
import { tryParseRegistriesConf } from "./registries-conf/base-file.ts";

/**
 * Returns a policy with sorted keys and lists: machine-config-operator writes the requirements of a list, all of which must
 * be met, in random order.
 */
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

/** Reports whether two files mean the same to nodes. Their texts are nearly always equal: only differing ones are parsed. */
function isSameFile(a: NodeFile, b: NodeFile): boolean {
  if (a.mode !== b.mode) return false;
  if (a.contents === b.contents) return true;
  const content = contentOf(a);
  return content !== undefined && isSameJson(content, contentOf(b));
}

/**
 * Returns the rendered files, each with the present text if that means the same: releases write the same content
 * differently, and a node reloads its container runtime, or drains, for each byte that changes.
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

/** Reports whether the present files are exactly the rendered ones, in any order. */
export function isEveryFilePresent(rendered: readonly NodeFile[], present: readonly NodeFile[]): boolean {
  const byPath = new Map(present.map((file) => [file.path, file]));
  return rendered.length === byPath.size && rendered.every((file) => isSameJson(byPath.get(file.path), file));
}
