import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";

/** The colour of each severity, the same in every command. */
export const severityColours = { error: "red", warning: "yellow" } as const;

/** What the issue is about: object, field and value; of a file that the place names, only what the place does not say. */
export function subjectOf({
  object,
  path,
  value,
  file,
  line,
  column,
}: Omit<Issue, "code" | "message" | "remedy">): string {
  const isPlace = file === object.name && object.kind === "File";
  const isPosition = path === `${line}:${column}` || path === file;
  const parts = [
    isPlace ? "" : displayName(object),
    isPlace && isPosition ? "" : path,
    value === undefined || (isPlace && value === "") ? "" : shorten(JSON.stringify(value)),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
