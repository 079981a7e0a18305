import { byCodeUnit, isRecord, isSameJson, parseJson } from "../json/values.ts";
import type { NodeFile } from "../machine-config/node-file.ts";

/**
 * Returns a policy with its keys and lists in one order: the lists hold requirements of which all must be met, in the
 * random order in which machine-config-operator found their policies.
 */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(inOneOrder).sort((a, b) => byCodeUnit(JSON.stringify(a), JSON.stringify(b)));
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b));
  return Object.fromEntries(fields.map(([key, field]) => [key, inOneOrder(field)]));
}

function isSameFile(a: NodeFile, b: NodeFile): boolean {
  if (a.mode !== b.mode) return false;
  if (a.contents === b.contents) return true;
  const policy = a.path.endsWith(".json") ? parseJson(a.contents) : undefined;
  return policy !== undefined && isSameJson(inOneOrder(policy), inOneOrder(parseJson(b.contents)));
}

/** Returns the rendered files, each with the present text where only the order of a policy's requirements differs. */
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

/** Reports whether all files that are present are the rendered ones, in any order. */
export function isEveryFilePresent(rendered: readonly NodeFile[], present: readonly NodeFile[]): boolean {
  const byPath = new Map(present.map((file) => [file.path, file]));
  return rendered.length === byPath.size && rendered.every((file) => isSameJson(byPath.get(file.path), file));
}
