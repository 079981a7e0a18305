import { fileIssue } from "../issues/file-issues.ts";
import { fieldIssue, type Issue, type IssueObject, type Problem } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { firstLineOf } from "../text/error-text.ts";
import { sentence } from "../text/redact.ts";
import type { Position, PositionOf, YamlPath } from "./yaml-document.ts";

type Place = Readonly<{ file: string; positionOf: PositionOf }>;

const code = "InvalidManifest";

/** Formats `["items", 0, "metadata"]` as `items[0].metadata`. */
export function displayPath(path: YamlPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^[A-Za-z_][\w-]*$/.test(step)) return `[${JSON.stringify(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

/** Returns an issue about the field at `path` of the document, with the field's place in the file. */
export function placedIssue(
  about: IssueObject | KubernetesObject,
  path: YamlPath,
  { file, positionOf }: Place,
  problem: Problem & Readonly<{ value?: unknown }>,
): Issue {
  const { line, column } = positionOf(path);
  const field = displayPath(path) || `${line}:${column}`;
  return { ...fieldIssue(about, field, problem.value, problem), file, line, column };
}

/** The maximum size of an object in bytes: API servers refuse larger requests. */
export const maxObjectSize = 3 * 1024 * 1024;

export function tooLarge(object: KubernetesObject, path: YamlPath, place: Place): Issue {
  return placedIssue(object, path, place, {
    code,
    message: "The object is larger than 3 MiB, the limit of API servers.",
    remedy: "Split it into several objects, or remove what it does not need.",
  });
}

/** Returns the error for an object that could not be read because of a bug in hubrelay. */
export function notRead(error: unknown, path: YamlPath, place: Place): Issue {
  return placedIssue({ kind: "File", name: place.file }, path, place, {
    code: "UnreadableObject",
    message: sentence`hubrelay failed while it read this object: ${firstLineOf(error)}.`,
    remedy: "This is a bug: report it with the object. The other objects are read.",
  });
}

const templates = [
  { begin: "{{", end: "}}", how: ", with Helm: helm template CHART | hubrelay validate -f -" },
  { begin: "{%", end: "%}", how: ", and check what that prints: hubrelay validate -f -" },
];

function templateIn(document: string) {
  const lines = document.split("\n");
  return templates.find(({ begin, end }) =>
    lines.some((line) => line.includes(begin) && line.lastIndexOf(end) > line.indexOf(begin) + 1),
  );
}

/** Reports whether a document is a template, which another program renders to YAML. */
export const isTemplate = (document: string): boolean => templateIn(document) !== undefined;

/** Returns the error for a document that cannot be parsed. If the document is a template, the error says so. */
export function syntaxIssue(file: string, position: Position, message: string, document = ""): Issue {
  const template = templateIn(document);
  if (template)
    return fileIssue(file, position, "", {
      code,
      message: sentence`This is a template (${template.begin} ${template.end}), and no YAML before another program renders it.`,
      remedy: sentence`Render it first${template.how}`,
    });
  return fileIssue(file, position, "", {
    code,
    message: message.replace(/\.?$/, "."),
    remedy:
      "Fix the file at this position; the cause is often an indentation, a quote or a `: ` just before it.",
  });
}
