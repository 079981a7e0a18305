import { withoutVersion } from "../../images/image-reference.ts";
import { isNested } from "../../images/scope.ts";
import { type Issue, issueObject } from "../../issues/issue.ts";
import { fieldsOf, listOf, ownValue, textOf } from "../../kubernetes/json/values.ts";
import { displayName, type KubernetesObject } from "../../kubernetes/object.ts";
import type { ImageExplanation } from "./explain-image.ts";

const scopeOf = (item: unknown): string | undefined => textOf(item) ?? textOf(fieldsOf(item).source);

const mirrorLists = ["imageDigestMirrors", "imageTagMirrors", "repositoryDigestMirrors"];

/**
 * Returns the scopes that a field is for: that of its rule or entry of a list, or all of its object; none where it is for no
 * scope.
 */
function scopesAt({ spec }: KubernetesObject, path: string): readonly string[] {
  const [, sources, list = "", index] = /^spec\.(registrySources\.)?(\w+)\[(\d+)\]/.exec(path) ?? [];
  const fields = fieldsOf(spec);
  const item = listOf(ownValue(sources ? fieldsOf(fields.registrySources) : fields, list))[Number(index)];
  const all = [...mirrorLists, "scopes"].flatMap((name) => listOf(ownValue(fields, name)));
  return (item === undefined ? all : [item]).flatMap((one) => scopeOf(one) ?? []);
}

/** Returns the issues without warnings about rules, policies and entries of lists that are for other images. Errors stay. */
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
  const named = new Map(objects.map((object) => [displayName(issueObject(object)), object]));
  return issues.filter((issue) => {
    if (issue.severity === "error") return true;
    const object = named.get(displayName(issue.object));
    const scopes = object ? scopesAt(object, issue.path) : [];
    return scopes.length === 0 || scopes.some(isForImage);
  });
}
