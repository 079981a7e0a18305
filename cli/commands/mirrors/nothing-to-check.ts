import { byCodeUnit } from "#shared/domain/json/order.ts";
import type { ManifestsOrHub } from "../../io/manifest-source.ts";
import { counted } from "../../io/report/validation-report.ts";

/** Names of kinds in a message. */
const maxNamed = 5;

/** Returns why there is nothing to check, in one line. */
export function nothingToCheck(
  { objects, files = 0 }: Pick<ManifestsOrHub, "objects" | "files">,
  paths: readonly string[] | undefined,
): string {
  const remedy = "Name other manifests, or allow it with --allow-empty.";
  if (!paths) return `nothing to check: the hub has no object of a kind that hubrelay checks. ${remedy}`;
  const what = paths.map((path) => (path === "-" ? "standard input" : path)).join(", ");
  if (files === 0)
    return `nothing to check: ${what} has no file that ends in .yaml, .yml or .json. ${remedy}`;
  if (objects.length === 0) return `nothing to check: ${what} has no objects. ${remedy}`;
  const found = [...new Set(objects.map(({ kind }) => kind))].sort(byCodeUnit);
  const others = found.length > maxNamed ? `, and ${found.length - maxNamed} more` : "";
  return `nothing to check: the ${counted(objects.length, "object")} in ${counted(files, "file")} are of kinds that hubrelay does not check (${found.slice(0, maxNamed).join(", ")}${others}). ${remedy}`;
}
