import { fieldIssue, type Issue } from "../issues/issue.ts";
import { isDnsSubdomain } from "../issues/object-name.ts";
import { type Kind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { isDisabled } from "../manifests/embedded-objects.ts";
import { configReferenceOf, readUpgradeSpec } from "../precache-model/upgrade-spec.ts";
import { sentence } from "../text/redact.ts";

/** The objects that references can name. The keys of `configs` are `namespace/name`; all other keys are names. */
export type Given = Readonly<{
  configs: ReadonlyMap<string, KubernetesObject>;
  managedClusters: ReadonlyMap<string, KubernetesObject>;
  /** Root policies by name. A list has several policies if several namespaces have a policy of this name. */
  policies: ReadonlyMap<string, readonly KubernetesObject[]>;
  copies: readonly KubernetesObject[];
  upgrades: readonly KubernetesObject[];
  overrides: readonly KubernetesObject[];
  isWhole: boolean;
}>;

type Missing = Pick<Issue, "code" | "path" | "value"> & Readonly<{ kind: Kind; name: string }>;

function missing(cgu: KubernetesObject, absent: Missing, { isWhole }: Given): Issue {
  const { code, path, value, kind, name } = absent;
  const isName = isDnsSubdomain(String(value));
  const why = isName ? "it is not among the manifests" : "no object can have this name";
  return fieldIssue(cgu, path, value, {
    code,
    severity: isWhole || !isName ? "error" : "warning",
    message: sentence`No such ${kind.kind}: ${name}${isWhole ? "" : sentence`; ${why}`}`,
    remedy: sentence`Create the ${kind.kind}, or correct the reference.`,
  });
}

/** Returns issues about the reference to a PreCachingConfig: about its form, or because the object does not exist. */
export function configReferenceIssues(cgu: KubernetesObject, given: Given): readonly Issue[] {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  if (!reference) return [];
  const name = `${reference.namespace}/${reference.name}`;
  if (given.configs.has(name)) return reference.issues;
  const code = "PreCachingConfigMissing";
  const path = "spec.preCachingConfigRef";
  return [
    ...reference.issues,
    missing(cgu, { code, path, value: reference.name, kind: kinds.PreCachingConfig, name }, given),
  ];
}

/** Returns an issue for each name in `spec.clusters` for which no ManagedCluster exists. */
export function missingClusters(cgu: KubernetesObject, given: Given): readonly Issue[] {
  const { managedClusters } = given;
  return (readUpgradeSpec(cgu).clusters ?? []).flatMap((name, index) => {
    if (managedClusters.has(name)) return [];
    const path = `spec.clusters[${index}]`;
    const code = "ClusterNotFound";
    return [missing(cgu, { code, path, value: name, kind: kinds.ManagedCluster, name }, given)];
  });
}

/** Returns an issue for each policy in `spec.managedPolicies` that is missing or disabled. */
export function missingPolicies(cgu: KubernetesObject, given: Given): readonly Issue[] {
  const code = "NotAllManagedPoliciesExist";
  return readUpgradeSpec(cgu).managedPolicies.flatMap((name, index) => {
    const path = `spec.managedPolicies[${index}]`;
    const found = given.policies.get(name);
    if (!found) return [missing(cgu, { code, path, value: name, kind: kinds.Policy, name }, given)];
    if (!found.every(isDisabled)) return [];
    const message = sentence`The policy ${name} is disabled, so that it is not on any cluster`;
    return [fieldIssue(cgu, path, name, { code, message, remedy: "Enable it, or remove it from the list." })];
  });
}
