import { isSameJson } from "../json/same-json.ts";
import { parseJson } from "../json/values.ts";
import { type NodeFile, nodePaths } from "../machine-config/node-file.ts";
import { tryParseRegistriesConf } from "./registries-conf/base-file.ts";

function contentOf({ path, contents }: NodeFile): unknown {
  if (path === nodePaths.registriesConf || path === nodePaths.searchRegistries) {
    const parsed = tryParseRegistriesConf(contents);
    return "conf" in parsed ? parsed.conf : undefined;
  }
  return path.endsWith(".json") ? parseJson(contents) : undefined;
}

/** Reports whether nodes read the same from both texts of a file, in whatever indentation and with what empty keys. */
function isSameFile(a: NodeFile, b: NodeFile): boolean {
  if (a.mode !== b.mode) return false;
  if (a.contents === b.contents) return true;
  const content = contentOf(a);
  return content !== undefined && isSameJson(content, contentOf(b));
}

/**
 * Returns the rendered files, each with the present text where that says the same: releases write the same content
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

/** Reports whether all files that are present are the rendered ones, in any order. */
export function isEveryFilePresent(rendered: readonly NodeFile[], present: readonly NodeFile[]): boolean {
  const byPath = new Map(present.map((file) => [file.path, file]));
  return rendered.length === byPath.size && rendered.every((file) => isSameJson(byPath.get(file.path), file));
}
