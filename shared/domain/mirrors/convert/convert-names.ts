import { type Issue, issueObject } from "../../issues/issue.ts";
import { isSameJson } from "../../json/same-json.ts";
import { kinds } from "../../kubernetes/kinds.ts";
import { displayName, type KubernetesObject, referenceTo } from "../../kubernetes/object.ts";

/** A new object and the old one that it was made from. */
export type Made = Readonly<{ from: KubernetesObject; object: KubernetesObject }>;

const nameOf = ({ object }: Made): string => displayName(referenceTo(object));

/** A tag policy becomes an ImageTagMirrorSet and an ImageDigestMirrorSet. */
function isDigestHalf({ from, object }: Made): boolean {
  return from.kind === "ImageSourceTagPolicy" && object.kind === kinds.ImageDigestMirrorSet.kind;
}

/** Policies for digests and tags come in pairs with one name, so the digest half is renamed. */
function withHalvesRenamed(made: readonly Made[]): readonly Made[] {
  const taken = new Set(made.filter((each) => !isDigestHalf(each)).map(nameOf));
  return made.map((each) => {
    if (!isDigestHalf(each) || !taken.has(nameOf(each))) return each;
    const { from, object } = each;
    const name = `${object.metadata.name}-tag-policy`;
    return { from, object: { ...object, metadata: { ...object.metadata, name } } };
  });
}

function repeated(each: Made, first: Made): Issue {
  const isSame = isSameJson(each.object.spec, first.object.spec);
  const other = displayName(referenceTo(first.from));
  return {
    code: "DuplicateName",
    severity: isSame ? "warning" : "error",
    object: issueObject(each.from),
    path: "metadata.name",
    value: each.from.metadata.name,
    message: isSame
      ? `${nameOf(each)} was already made from ${other} with the same rules; it is written once`
      : `${nameOf(each)} was already made from ${other} with other rules`,
    remedy: isSame ? "Remove one of the two." : "Rename one of the two, or put their rules into one object.",
  };
}

/**
 * Gives every new object a unique name. Of two equal ones with the same rules one is kept, with a warning; of two
 * that differ the second is left out, with an error.
 */
export function withDistinctNames(
  made: readonly Made[],
): Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[] }> {
  const byName = new Map<string, Made>();
  const issues: Issue[] = [];
  for (const each of withHalvesRenamed(made)) {
    const first = byName.get(nameOf(each));
    if (first) issues.push(repeated(each, first));
    else byName.set(nameOf(each), each);
  }
  return { objects: [...byName.values()].map(({ object }) => object), issues };
}
