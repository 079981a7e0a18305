import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { isSameJson } from "../../kubernetes/json/values.ts";
import { displayName, type KubernetesObject, kinds, referenceTo } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";

/** A new object and the old one that it was made from. */
export type Made = Readonly<{ from: KubernetesObject; object: KubernetesObject }>;

const nameOf = ({ object }: Made): string => displayName(referenceTo(object));

/** A tag policy becomes an ImageTagMirrorSet and an ImageDigestMirrorSet. */
function isDigestHalf({ from, object }: Made): boolean {
  return from.kind === "ImageSourceTagPolicy" && object.kind === kinds.ImageDigestMirrorSet.kind;
}

function renamed({ from, object }: Made, name: string): Made {
  return { from, object: { ...object, metadata: { ...object.metadata, name } } };
}

/** Policies for digests and tags come in pairs with one name, so the digest half is renamed. */
function withHalvesRenamed(made: readonly Made[]): readonly Made[] {
  const taken = new Set(made.filter((each) => !isDigestHalf(each)).map(nameOf));
  return made.map((each) => {
    if (!isDigestHalf(each) || !taken.has(nameOf(each))) return each;
    return renamed(each, `${each.object.metadata.name}-tag-policy`);
  });
}

function repeated(each: Made, first: Made): Issue {
  const isSame = isSameJson(each.object.spec, first.object.spec);
  const other = displayName(referenceTo(first.from));
  return fieldIssue(each.from, "metadata.name", each.from.metadata.name, {
    code: "DuplicateName",
    severity: isSame ? "warning" : "error",
    message: isSame
      ? sentence`${nameOf(each)} was already made from ${other} with the same rules; it is written once`
      : sentence`${nameOf(each)} was already made from ${other} with other rules`,
    remedy: isSame ? "Remove one of the two." : "Rename one of the two, or put their rules into one object.",
  });
}

function nameTaken(each: Made, name: string): Issue {
  return fieldWarning(each.from, "metadata.name", each.from.metadata.name, {
    code: "NameTaken",
    message: sentence`${nameOf(each)} exists with other rules; the new object is called ${name}`,
    remedy: "Create it beside the other, or put the rules of both into one object.",
  });
}

/** The suffixes make a name that is free in one run the choice of later runs too, when its object exists. */
function freeName(name: string, isFree: (name: string) => boolean): string {
  for (let count = 1; ; count++) {
    const candidate = `${name}-converted${count > 1 ? `-${count}` : ""}`;
    if (isFree(candidate)) return candidate;
  }
}

type Named = Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[] }>;

/** Renames objects that would replace others: an apply of them would delete the others' rules. */
function besideExisting(made: readonly Made[], existing: readonly KubernetesObject[]): Named {
  const specs = new Map(existing.map((object) => [displayName(referenceTo(object)), object.spec]));
  const names = new Set(made.map(nameOf));
  const issues: Issue[] = [];
  const objects = made.map((each) => {
    const replacesNone = (name: string) => {
      const spec = specs.get(nameOf(renamed(each, name)));
      return spec === undefined || isSameJson(spec, each.object.spec);
    };
    const { name } = each.object.metadata;
    if (replacesNone(name)) return each.object;
    const free = freeName(
      name,
      (candidate) => replacesNone(candidate) && !names.has(nameOf(renamed(each, candidate))),
    );
    issues.push(nameTaken(each, free));
    const { object } = renamed(each, free);
    names.add(displayName(referenceTo(object)));
    return object;
  });
  return { objects, issues };
}

/**
 * Gives every new object a unique name. Of two equal ones with the same rules one is kept, with a warning; of two
 * that differ the second is left out, with an error. Where an existing object of that name has other rules, the new
 * one gets a free name, with a warning.
 */
export function withDistinctNames(made: readonly Made[], existing: readonly KubernetesObject[]): Named {
  const byName = new Map<string, Made>();
  const repetitions: Issue[] = [];
  for (const each of withHalvesRenamed(made)) {
    const first = byName.get(nameOf(each));
    if (first) repetitions.push(repeated(each, first));
    else byName.set(nameOf(each), each);
  }
  const { objects, issues } = besideExisting([...byName.values()], existing);
  return { objects, issues: [...repetitions, ...issues] };
}
