import { coverageLines, coverageOf } from "#shared/domain/issues/coverage.ts";
import { hasErrors } from "#shared/domain/issues/issue.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { isOneOf, type Kind } from "#shared/domain/kubernetes/object.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { UsageError } from "../program/exit-codes.ts";
import type { ManifestsOrHub } from "./manifest-source.ts";

const maxNamed = 5;

type Found = Pick<ManifestsOrHub, "objects" | "ignored" | "files"> &
  Partial<Pick<ManifestsOrHub, "issues" | "unread">>;

/** Returns one line with the reason why there is nothing to check. `reader` is the name of the command. */
export function nothingToCheck(
  { objects, ignored, files = 0, issues = [], unread = [] }: Found,
  paths: readonly string[] | undefined,
  { reader = "hubrelay", remedy = "Name other manifests, or allow it with --allow-empty." } = {},
): string {
  if (!paths) return `nothing to check: the hub has no object of a kind that ${reader} checks. ${remedy}`;
  const what = paths.map((path) => (path === "-" ? "standard input" : path)).join(", ");
  const unrendered = issues.find(({ code }) => code === "NotRendered");
  if (unrendered) return `nothing to check: ${unrendered.file}: ${unrendered.message} ${unrendered.remedy}`;
  if (files === 0)
    return `nothing to check: ${what} has no file that ends in .yaml, .yml or .json. ${remedy}`;
  const ofThese = ignored > 0 ? ` of a kind that ${reader} checks` : "";
  if (objects.length === 0) return `nothing to check: ${what} has no objects${ofThese}. ${remedy}`;
  // hubrelay would check the objects inside templates and OCM Policies if it could read them.
  const inside = unread.filter(({ why }) => why === "template" || why === "not-enforced");
  if (inside.length > 0)
    return `nothing to check. ${coverageLines(coverageOf({ read: [], unread: inside, assumed: [] })).join(" ")} ${remedy}`;
  const found = [...new Set(objects.map(({ kind }) => kind))].sort(byCodeUnit);
  const others = found.length > maxNamed ? `, and ${found.length - maxNamed} more` : "";
  return `nothing to check: the ${counted(objects.length, "object")} in ${counted(files, "file")} are of kinds that ${reader} does not check (${found.slice(0, maxNamed).join(", ")}${others}). ${remedy}`;
}

/**
 * Throws `UsageError` if manifests without errors have no object or, with `kinds`, none of these kinds: a wrong folder
 * must not look like success.
 */
export function requireObjects(
  { damaged, embedded, ...read }: Found & Pick<ManifestsOrHub, "damaged" | "embedded" | "issues">,
  {
    paths,
    command,
    kinds,
  }: Readonly<{ paths: readonly string[] | undefined; command: string; kinds?: readonly Kind[] }>,
): void {
  if (!paths) return;
  const all = [...read.objects, ...damaged.map(({ object }) => object)];
  const held = embedded.map(({ object }) => object);
  if (hasErrors(read.issues) || [...all, ...held].some(kinds ? isOneOf(kinds) : () => true)) return;
  const other = { reader: `hubrelay ${command}`, remedy: "Name other manifests." };
  throw new UsageError(nothingToCheck({ ...read, objects: all }, paths, other));
}
