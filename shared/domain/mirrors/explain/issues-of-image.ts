import { isNested } from "../../images/scope.ts";
import type { Issue } from "../../issues/issue.ts";
import { fieldsOf, listOf, ownValue, textOf } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isGathered } from "../lint/lint-finding.ts";
import type { ImageExplanation } from "./explain-image.ts";

/** Returns the scope that the rule or the entry of a list at a path is for; undefined for another field. */
function scopeAt({ spec }: KubernetesObject, path: string): string | undefined {
  const [, sources, list = "", index] = /^spec\.(registrySources\.)?(\w+)\[(\d+)\]/.exec(path) ?? [];
  const fields = fieldsOf(spec);
  const item = listOf(ownValue(sources ? fieldsOf(fields.registrySources) : fields, list))[Number(index)];
  return textOf(item) ?? textOf(fieldsOf(item).source);
}

const withoutVersion = (reference: string): string => reference.replace(/@.*$/, "").replace(/:[^/:]*$/, "");

/**
 * Returns the issues without warnings about one rule, or one entry of a list, that is for other images. Errors stay, and
 * what is about several fields.
 */
export function issuesOfImage(
  issues: readonly Issue[],
  { names }: ImageExplanation,
  objects: readonly KubernetesObject[],
): readonly Issue[] {
  const references = names.flatMap(({ image, candidates }) => [
    image,
    ...candidates.map(({ reference }) => reference),
  ]);
  const isForImage = (scope: string) =>
    references.some((reference) => reference === scope || isNested(withoutVersion(reference), scope));
  return issues.filter((issue) => {
    if (issue.severity === "error" || isGathered(issue)) return true;
    const { kind, name, namespace } = issue.object;
    const object = objects.find(
      (one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace,
    );
    const scope = object && scopeAt(object, issue.path);
    return scope === undefined || isForImage(scope);
  });
}
