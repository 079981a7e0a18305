import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { isKind, type Kind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";

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
  return fieldIssue(object, "apiVersion", object.apiVersion, {
    code: "WrongApiVersion",
    message: sentence`${object.kind} is not read as ${object.apiVersion}.`,
    remedy: sentence`Write apiVersion: ${apiVersion}.`,
  });
}

/** Returns an error for each object of precaching whose API version nothing reads. */
export function otherVersionIssues(objects: readonly KubernetesObject[]): readonly Issue[] {
  return objects.flatMap((object) => {
    const other = planKinds.find((kind) => isOtherVersion(kind, object));
    return other ? [otherVersion(other, object)] : [];
  });
}
