import { fieldIssue, fieldWarning, hasErrors, type Issue, type Severity } from "../../issues/issue.ts";
import { nameIssues } from "../../issues/object-name.ts";
import { isSameJson } from "../../kubernetes/json/values.ts";
import {
  displayName,
  isKind,
  type Kind,
  type KubernetesObject,
  kinds,
  type ObjectMeta,
  referenceTo,
} from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { readMirrorObjects } from "../input/read-mirror-sets.ts";
import { isEarlierKind, type MirrorRule } from "../input/rules.ts";
import { validateRules } from "../input/validate-rules.ts";

/** A new object, and the old object from which it was made. */
export type Made = Readonly<{ from: KubernetesObject; object: KubernetesObject }>;

const nameOf = ({ object }: Made): string => displayName(referenceTo(object));

function isDigestHalf({ from, object }: Made): boolean {
  return from.kind === "ImageSourceTagPolicy" && object.kind === kinds.ImageDigestMirrorSet.kind;
}

/** An ImageDigestMirrorSet made from an ImageSourceTagPolicy is renamed if another policy needs the name. */
function withHalvesRenamed(made: readonly Made[]): readonly Made[] {
  const taken = new Set(made.filter((each) => !isDigestHalf(each)).map(nameOf));
  return made.map((each) => {
    if (!isDigestHalf(each) || !taken.has(nameOf(each))) return each;
    const { from, object } = each;
    const name = `${object.metadata.name}-tag-policy`;
    return { from, object: { ...object, metadata: { ...object.metadata, name } } };
  });
}

function duplicateName(each: Made, problem: string, severity: Severity, remedy: string): Issue {
  return fieldIssue(each.from, "metadata.name", each.from.metadata.name, {
    code: "DuplicateName",
    severity,
    message: sentence`${nameOf(each)} ${problem}`,
    remedy,
  });
}

function repeated(each: Made, first: Made): Issue {
  const other = displayName(referenceTo(first.from));
  return isSameJson(each.object.spec, first.object.spec)
    ? duplicateName(
        each,
        sentence`was already made from ${other} with the same rules; it is written once`,
        "warning",
        "Remove one of the two.",
      )
    : duplicateName(
        each,
        sentence`was already made from ${other} with other rules`,
        "error",
        "Rename one of the two, or put their rules into one object.",
      );
}

function withDistinctNames(
  made: readonly Made[],
  existing: readonly KubernetesObject[],
): Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[] }> {
  const specs = new Map(existing.map((object) => [displayName(referenceTo(object)), object.spec]));
  const byName = new Map<string, Made>();
  const issues: Issue[] = [];
  for (const each of withHalvesRenamed(made)) {
    const name = nameOf(each);
    const first = byName.get(name);
    if (first) issues.push(repeated(each, first));
    else if (isSameJson(specs.get(name) ?? each.object.spec, each.object.spec)) byName.set(name, each);
    else
      issues.push(
        duplicateName(
          each,
          "exists with other rules",
          "error",
          "Rename the policy, or put the rules of both into one object.",
        ),
      );
  }
  return { objects: [...byName.values()].map(({ object }) => object), issues };
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function newMetadata({ name, labels, annotations }: ObjectMeta): ObjectMeta {
  const { [lastApplied]: _, ...kept } = annotations ?? {};
  return {
    name,
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(kept).length > 0 ? { annotations: kept } : {}),
  };
}

type Conversion = Readonly<{
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
}>;

/** Reports whether `convertMirrorPolicies` converts the object's kind. */
export function isOldKind(object: KubernetesObject): boolean {
  return isKind(kinds.ImageContentSourcePolicy, object) || isEarlierKind(object);
}

function oldVersion(object: KubernetesObject): string | undefined {
  const versions = [kinds.ImageDigestMirrorSet.apiVersion, kinds.ImageContentSourcePolicy.apiVersion];
  return versions.find((apiVersion) => isOldKind({ ...object, apiVersion }));
}

function foreignRemedy(object: KubernetesObject): string {
  const rightVersion = oldVersion(object);
  if (rightVersion) return sentence`Write apiVersion: ${rightVersion}.`;
  if (object.kind === kinds.ImageDigestMirrorSet.kind || object.kind === kinds.ImageTagMirrorSet.kind) {
    return "It is already of a new kind: remove it from the input.";
  }
  return "Only ImageContentSourcePolicies, ImageSourceDigestPolicies and ImageSourceTagPolicies can be converted.";
}

function foreignIssues(objects: readonly KubernetesObject[]): readonly Issue[] {
  const isMixed = objects.some(isOldKind);
  return objects
    .filter((object) => !isOldKind(object) && (!isMixed || oldVersion(object) !== undefined))
    .map((object) =>
      fieldIssue(object, "kind", object.kind, {
        code: "NotConvertible",
        message: sentence`${object.kind} of ${object.apiVersion} cannot be converted`,
        remedy: foreignRemedy(object),
      }),
    );
}

function changedMeaning(object: KubernetesObject): Issue {
  return fieldWarning(object, "spec.repositoryTagMirrors", object.kind, {
    code: "ChangedMeaning",
    message:
      "its mirrors served pulls by digest and by tag, those of an ImageTagMirrorSet serve tags only: an " +
      "ImageDigestMirrorSet with the same rules is made beside it, and joins the order of other digest mirrors",
    remedy: "Create both, or pulls by digest lose these mirrors.",
  });
}

function writtenOnce(issue: Issue): Issue {
  if (issue.code !== "DuplicateMirror" || issue.severity === "error") return issue;
  return {
    ...issue,
    message: "this mirror is listed twice, which the new kind does not allow; it is written once",
    remedy: "Check with --check whether that changes the merged order.",
  };
}

function mirrorSet(kind: Kind, list: string, from: KubernetesObject, rules: readonly MirrorRule[]): Made {
  const newRules = rules.map(({ source, mirrors }) => ({
    source,
    ...(mirrors.length > 0 ? { mirrors: [...new Set(mirrors)] } : {}),
  }));
  const object = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: newMetadata(from.metadata),
    spec: { [list]: newRules },
  };
  return { from, object };
}

type Converted = Readonly<{ made: readonly Made[]; issues: readonly Issue[] }>;

function convertObject(from: KubernetesObject): Converted {
  const invalidNames = nameIssues(from);
  if (invalidNames.length > 0) return { made: [], issues: invalidNames };
  const read = readMirrorObjects([from]);
  const { usable, issues } = validateRules(read.rules, "anyone");
  const allIssues = [...read.issues, ...issues.map(writtenOnce)];
  // An object without rules would look like a successful conversion.
  if (usable.length === 0 && hasErrors(allIssues)) return { made: [], issues: allIssues };

  const digest = mirrorSet(kinds.ImageDigestMirrorSet, "imageDigestMirrors", from, usable);
  if (from.kind !== "ImageSourceTagPolicy") return { made: [digest], issues: allIssues };
  const tag = mirrorSet(kinds.ImageTagMirrorSet, "imageTagMirrors", from, usable);
  return { made: [digest, tag], issues: [...allIssues, changedMeaning(from)] };
}

/**
 * Converts ImageContentSourcePolicies, ImageSourceDigestPolicies and ImageSourceTagPolicies to mirror sets that can be
 * created unchanged. Rules that the API server would refuse, objects without any rule left, and objects whose name is
 * taken by other rules are left out with an error. Objects of other kinds are skipped, unless there are no others.
 */
export function convertMirrorPolicies(
  objects: readonly KubernetesObject[],
  existing: readonly KubernetesObject[] = [],
): Conversion {
  const converted = objects.filter(isOldKind).map(convertObject);
  const distinct = withDistinctNames(
    converted.flatMap(({ made }) => made),
    existing,
  );
  return {
    objects: distinct.objects,
    issues: [...foreignIssues(objects), ...converted.flatMap(({ issues }) => issues), ...distinct.issues],
  };
}

/** Returns the file name for a converted object. It depends only on kind and name. */
export function mirrorSetFileName({ kind, metadata }: KubernetesObject): string {
  return `${kind.toLowerCase()}_${metadata.name}.yaml`;
}
