import { isSameDefinition, keyText, partsOf } from "#shared/adapters/hub/semantics/stored-object.ts";
import { definedDifferently } from "#shared/domain/issues/file-issues.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { isSameJson, withoutRepeats } from "#shared/domain/json/values.ts";
import { kindOf } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";

/** Returns a text that only objects share which a hub would store as one. */
export const identityOf = ({ object }: Pick<LocatedObject, "object">) => keyText(partsOf(object).key);
const placeOf = ({ file, line }: LocatedObject) => ({ file, line });

/**
 * Returns the objects as a hub would store them: the last definition of each, with an error where an earlier one
 * differs. Kinds that hubrelay does not read stay as they are: release payloads have several variants of one CRD.
 */
export function definedOnce(objects: readonly LocatedObject[]): Readonly<{
  objects: readonly LocatedObject[];
  issues: readonly Issue[];
  /** Earlier definitions that differ. */
  replaced: readonly LocatedObject[];
}> {
  const definitions = Map.groupBy(
    objects.filter(({ object }) => kindOf(object)),
    identityOf,
  );
  const dropped = new Set<LocatedObject>();
  const replaced: LocatedObject[] = [];
  const issues: Issue[] = [];
  for (const [last, ...earlier] of [...definitions.values()].map((found) => found.toReversed())) {
    if (!last) continue;
    for (const one of earlier) dropped.add(one);
    const differing = earlier.filter(({ object }) => !isSameDefinition(object, last.object));
    if (differing.length === 0) continue;
    replaced.push(...differing.toReversed());
    const places = withoutRepeats(earlier.toReversed().map(placeOf)).filter(
      (place) => !isSameJson(place, placeOf(last)),
    );
    issues.push(definedDifferently(issueObject(last.object), places));
  }
  return { objects: objects.filter((object) => !dropped.has(object)), issues, replaced };
}
