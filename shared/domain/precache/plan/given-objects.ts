import { type Issue, issueObject } from "../../issues/issue.ts";
import { isKind, type Kind, kinds } from "../../kubernetes/kinds.ts";
import { displayName, type KubernetesObject, referenceTo } from "../../kubernetes/object.ts";
import { namespaceOf } from "../model/upgrade-spec.ts";

/** The kinds to check. ConfigMaps and ClusterVersions are not included: other programs use them too. */
const planKinds = [
  kinds.ClusterGroupUpgrade,
  kinds.PreCachingConfig,
  kinds.Policy,
  kinds.ManagedCluster,
] as const;

/** Matches a kind of this name in another version, or in a group with the same prefix. */
function isOtherVersion(kind: Kind, object: KubernetesObject): boolean {
  const [group = ""] = kind.apiVersion.split("/");
  return object.kind === kind.kind && !isKind(kind, object) && object.apiVersion.startsWith(group);
}

function otherVersion({ apiVersion }: Kind, object: KubernetesObject): Issue {
  return {
    code: "WrongApiVersion",
    severity: "error",
    object: issueObject(object),
    path: "apiVersion",
    value: object.apiVersion,
    message: `${object.kind} is not read as ${object.apiVersion}.`,
    remedy: `Write apiVersion: ${apiVersion}.`,
  };
}

function duplicate(object: KubernetesObject): Issue {
  return {
    code: "DuplicateObject",
    severity: "warning",
    object: issueObject(object),
    path: "metadata.name",
    value: object.metadata.name,
    message: "The object is given more than once; the last one counts, as it would on a hub.",
    remedy: "Give it once.",
  };
}

/**
 * Returns manifests as a hub would store them: of several with one name the last counts, and an unexpected API
 * version is reported.
 */
export function givenObjects(
  objects: readonly KubernetesObject[],
): Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[] }> {
  const kindOf = (object: KubernetesObject) => planKinds.find((kind) => isKind(kind, object));
  const identityOf = (object: KubernetesObject): string => {
    const { kind, name } = referenceTo(object);
    const namespace = kindOf(object)?.namespaced === false ? "" : namespaceOf(object);
    return `${object.apiVersion} ${displayName({ kind, name, namespace })}`;
  };
  const last = new Map(objects.map((object) => [identityOf(object), object]));
  const isLast = (object: KubernetesObject) => last.get(identityOf(object)) === object;
  const issues = objects.flatMap((object) => {
    const other = planKinds.find((kind) => isOtherVersion(kind, object));
    if (other) return [otherVersion(other, object)];
    return kindOf(object) && !isLast(object) ? [duplicate(object)] : [];
  });
  return { objects: objects.filter(isLast), issues };
}
