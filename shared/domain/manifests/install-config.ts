import type { Issue, Problem } from "../issues/issue.ts";
import { isRecord, listOf, ownValue } from "../kubernetes/json/values.ts";
import { kinds } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import type { EmbeddedValue } from "./embedded-objects.ts";
import type { Place } from "./located-object.ts";
import { placedIssue } from "./manifest-issues.ts";
import type { YamlPath } from "./yaml-document.ts";

/** The lists of an install-config.yaml with the fields of their items, and the objects that the installer makes of them. */
const lists = [
  {
    list: "imageDigestSources",
    kind: kinds.ImageDigestMirrorSet,
    rules: "imageDigestMirrors",
    name: "image-digest-mirror",
    fields: ["source", "mirrors", "sourcePolicy"],
  },
  {
    list: "imageContentSources",
    kind: kinds.ImageContentSourcePolicy,
    rules: "repositoryDigestMirrors",
    name: "image-policy",
    fields: ["source", "mirrors"],
  },
] as const;
const listNames: readonly string[] = lists.map(({ list }) => list);

const dropped = (field: string, known: readonly string[]): Problem => ({
  code: "UnknownField",
  severity: "warning",
  message: sentence`install-config.yaml has no field ${field} here: the installer drops it with a warning`,
  remedy: sentence`Remove it, or correct its name; the fields here are ${known.join(", ")}.`,
});

const together: Problem = {
  code: "InvalidValue",
  message: "the installer refuses imageContentSources and imageDigestSources together",
  remedy: "Move the items of imageContentSources to imageDigestSources.",
};

/** Returns an item with the field names of the kind that is made of it, and without the fields that are dropped. */
const asRule =
  (fields: readonly string[]) =>
  (item: unknown): unknown =>
    isRecord(item)
      ? Object.fromEntries(
          Object.entries(item)
            .filter(([field]) => fields.includes(field))
            .map(([field, found]) => [field === "sourcePolicy" ? "mirrorSourcePolicy" : field, found]),
        )
      : item;

/**
 * Returns the mirror objects in an install-config.yaml of the installer, and what the installer refuses or drops (its types
 * are in pkg/types/installconfig.go); undefined for another document.
 */
export function readInstallConfig(
  value: unknown,
  path: YamlPath,
  place: Place,
): Readonly<{ values: readonly EmbeddedValue[]; issues: readonly Issue[] }> | undefined {
  if (!isRecord(value) || value.kind !== undefined || typeof value.baseDomain !== "string") return undefined;
  const issueAt = (at: YamlPath, found: unknown, problem: Problem) =>
    placedIssue({ kind: "File", name: place.file }, [...path, ...at], place, { ...problem, value: found });
  const unknown = Object.keys(value)
    .filter((field) => /^image|Mirrors$/.test(field) && !listNames.includes(field))
    .map((field) => issueAt([field], ownValue(value, field), dropped(field, listNames)));
  const ofItems = lists.flatMap(({ list, fields }) =>
    listOf(ownValue(value, list)).flatMap((item, index) =>
      Object.entries(isRecord(item) ? item : {})
        .filter(([field]) => !fields.some((known) => known === field))
        .map(([field, found]) => issueAt([list, index, field], found, dropped(field, fields))),
    ),
  );
  const isBoth = listNames.every((list) => listOf(ownValue(value, list)).length > 0);
  const values = lists.flatMap(({ list, kind: { apiVersion, kind }, rules, name, fields }) => {
    const items = ownValue(value, list);
    if (items === undefined || items === null) return [];
    const spec = { [rules]: Array.isArray(items) ? items.map(asRule(fields)) : items };
    const object = { apiVersion, kind, metadata: { name }, spec };
    return [{ path: [], value: object, moved: { from: ["spec", rules], to: [list] } }];
  });
  const refused = isBoth ? [issueAt(["imageContentSources"], value.imageContentSources, together)] : [];
  return { values, issues: [...unknown, ...ofItems, ...refused] };
}
