import { isRecord, ownValue } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { fieldIssue, type Issue } from "./issue.ts";

/** The fields of a kind by the path of the object that has them; `[]` stands for every item of a list. */
export type KnownFields = Readonly<Record<string, readonly string[]>>;

/** Returns the values at a path, each with its own path: `spec.items[]` has as many as the list. */
function valuesAt(object: unknown, path: string): readonly (readonly [path: string, value: unknown])[] {
  return path.split(".").reduce<readonly (readonly [string, unknown])[]>(
    (found, step) => {
      const field = step.replace("[]", "");
      return found.flatMap(([above, value]) => {
        const at = above === "" ? field : `${above}.${field}`;
        const next = isRecord(value) ? ownValue(value, field) : undefined;
        if (field === step) return [[at, next] as const];
        const items: readonly unknown[] = Array.isArray(next) ? next : [];
        return items.map((item, index) => [`${at}[${index}]`, item] as const);
      });
    },
    [["", object]],
  );
}

/**
 * Returns a warning for each field that the kind does not have at its place, which an API server drops silently.
 * `renamed` has the remedies of fields that another version or an enhancement names, by their paths.
 */
export function unknownFields(
  object: KubernetesObject,
  known: KnownFields,
  renamed: Readonly<Record<string, string>> = {},
): readonly Issue[] {
  const remedyFor = (path: string, field: string, here: readonly string[]): string => {
    const [home, ...others] = Object.keys(known).filter((place) => ownValue(known, place)?.includes(field));
    const remedy = ownValue(renamed, path);
    if (remedy !== undefined) return remedy;
    return home !== undefined && others.length === 0
      ? `Write it below ${home}.`
      : `Remove it, or correct its name; the fields here are ${here.join(", ")}.`;
  };
  return Object.entries(known).flatMap(([place, here]) =>
    valuesAt(object, place).flatMap(([at, value]) =>
      Object.entries(isRecord(value) ? value : {})
        .filter(([field]) => !here.includes(field))
        .map(([field, content]): Issue => {
          const path = `${at}.${field}`;
          return fieldIssue(object, path, content, {
            code: "UnknownField",
            severity: "warning",
            message: `${object.kind} has no such field here. The API server drops it.`,
            remedy: remedyFor(path, field, here),
          });
        }),
    ),
  );
}
