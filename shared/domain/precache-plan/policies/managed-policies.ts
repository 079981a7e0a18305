import { byCodeUnit, fieldsOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isDisabled, isEnforced } from "../../manifests/embedded-objects.ts";
import { inspectPolicy } from "./policy-objects.ts";

/** Label of a policy's copy in a cluster's namespace. The value is `<namespace>.<name>` of the root policy. */
export const rootPolicyLabel = "policy.open-cluster-management.io/root-policy";
/** Label that TALM sets on its own copies of policies. */
const copiedPolicyLabel = "openshift-cluster-group-upgrades/clusterGroupUpgrade";

/** The managed policies of a ClusterGroupUpgrade by state. */
export type ManagedPolicies = Readonly<{
  /** The policies to roll out: not every selected cluster is known to comply with them. */
  present: readonly KubernetesObject[];
  compliant: readonly KubernetesObject[];
  missing: readonly string[];
  invalid: readonly string[];
  /** The namespaces of each policy that exists in several namespaces, by the name of the policy. */
  ambiguous: Readonly<Record<string, readonly string[]>>;
  enforced: readonly string[];
}>;

export type Compliance = "Compliant" | "NonCompliant" | "NotMatched";

type Evidence = Readonly<{
  namespaces: ReadonlyMap<string, ReadonlySet<string>>;
  enforced: ReadonlySet<string>;
  unresolved: ReadonlySet<string>;
}>;

/** Reports whether a policy is the copy of a root policy in the namespace of a cluster. */
export function isChildPolicy({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[rootPolicyLabel] !== undefined;
}

/** Returns the name by which upgrades refer to a policy; for a copy, the name of its root policy, if that is valid. */
export function rootNameOf(policy: KubernetesObject): string | undefined {
  const { name } = policy.metadata;
  if (!isChildPolicy(policy)) return name;
  const dot = name.indexOf(".");
  return dot < 0 ? undefined : name.slice(dot + 1);
}

const templatesText = ({ spec }: KubernetesObject) =>
  JSON.stringify(fieldsOf(spec)["policy-templates"]) ?? "";

/** Reports whether a policy has hub templates, which the hub replaces by values in the copy for each cluster. */
export function hasHubTemplate(policy: KubernetesObject): boolean {
  return templatesText(policy).includes("{{hub");
}

function resolvedPolicy(
  root: KubernetesObject,
  clusters: ReadonlySet<string>,
  policies: readonly KubernetesObject[],
): KubernetesObject {
  if (!hasHubTemplate(root)) return root;
  const name = copyName(root);
  const [copy, ...others] = policies.filter(
    ({ metadata }) => metadata.name === name && clusters.has(metadata.namespace ?? ""),
  );
  const isAlike = copy && others.every((other) => templatesText(other) === templatesText(copy));
  if (!isAlike || hasHubTemplate(copy)) return root;
  const { "policy-templates": templates } = fieldsOf(copy.spec);
  return { ...root, spec: { ...fieldsOf(root.spec), "policy-templates": templates } };
}

/** Returns the name of a policy's copies in the namespaces of clusters. */
export function copyName({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ""}.${metadata.name}`;
}

/** Reports whether a policy of the hub is bound to no cluster; false for a policy from a file, which has no uid. */
function isUnbound(policy: KubernetesObject): boolean {
  return policy.metadata.uid !== undefined && (clusterStatuses(policy) ?? []).length === 0;
}

function clusterStatuses({ status }: KubernetesObject): readonly unknown[] | undefined {
  const statuses = fieldsOf(status).status;
  return Array.isArray(statuses) ? statuses : undefined;
}

/** Reports whether a policy is from a file and has no status. All clusters are then assumed not to comply. */
export function isComplianceAssumed(policy: KubernetesObject): boolean {
  return policy.metadata.uid === undefined && !clusterStatuses(policy);
}

function complianceFrom(compliant: unknown): Compliance | undefined {
  if (compliant === "Compliant") return "Compliant";
  const isPending = compliant === "Pending" || (compliant ?? undefined) === undefined;
  return compliant === "NonCompliant" || isPending ? "NonCompliant" : undefined;
}

/**
 * Returns a function that returns a cluster's compliance: `NotMatched` if the policy's status does not list the
 * cluster, `NonCompliant` also if the policy has no status or compliance is pending.
 */
export function complianceWith(policy: KubernetesObject): (cluster: string) => Compliance {
  const statuses = clusterStatuses(policy);
  if (!statuses) return () => "NonCompliant";
  const known = new Map<unknown, Compliance>();
  for (const one of statuses) {
    const { clustername, compliant } = fieldsOf(one);
    const compliance = complianceFrom(compliant);
    if (compliance && !known.has(clustername)) known.set(clustername, compliance);
  }
  return (cluster) => known.get(cluster) ?? "NotMatched";
}

function evidenceOfChildren(policies: readonly KubernetesObject[], clusters: ReadonlySet<string>): Evidence {
  const namespaces = new Map<string, Set<string>>();
  const enforced = new Set<string>();
  const unresolved = new Set<string>();
  for (const policy of policies) {
    const { metadata } = policy;
    const isCopied = metadata.labels?.[copiedPolicyLabel] !== undefined;
    if (!clusters.has(metadata.namespace ?? "") || !isChildPolicy(policy) || isCopied) continue;
    const name = rootNameOf(policy);
    if (name === undefined) continue;
    if (isEnforced(policy)) {
      enforced.add(name);
      continue;
    }
    if (hasHubTemplate(policy)) unresolved.add(name);
    namespaces.set(name, (namespaces.get(name) ?? new Set()).add(metadata.name.slice(0, -name.length - 1)));
  }
  return { namespaces, enforced, unresolved };
}

function evidenceOfRoots(roots: readonly KubernetesObject[], clusters: readonly string[]): Evidence {
  const namespaces = new Map<string, Set<string>>();
  const enforced = new Set<string>();
  for (const policy of roots) {
    const { name, namespace = "" } = policy.metadata;
    const complianceOf = complianceWith(policy);
    // If no cluster is selected, all policies are kept: otherwise they would be reported as missing.
    const isElsewhere = clusters.every((cluster) => complianceOf(cluster) === "NotMatched");
    if (clusters.length > 0 && (isElsewhere || isUnbound(policy))) continue;
    if (isEnforced(policy)) enforced.add(name);
    else namespaces.set(name, (namespaces.get(name) ?? new Set()).add(namespace));
  }
  return { namespaces, enforced, unresolved: new Set() };
}

function joined(names: readonly string[], children: Evidence, roots: Evidence): Evidence {
  const known = (name: string) => children.namespaces.has(name) || children.enforced.has(name);
  const fromRoots = names.filter((name) => !known(name));
  return {
    namespaces: new Map(
      names.flatMap((name) => {
        const found = (known(name) ? children : roots).namespaces.get(name);
        return found ? [[name, found] as const] : [];
      }),
    ),
    enforced: new Set([...children.enforced, ...fromRoots.filter((name) => roots.enforced.has(name))]),
    unresolved: children.unresolved,
  };
}

function ambiguousOf({ namespaces }: Evidence): ManagedPolicies["ambiguous"] {
  return Object.fromEntries(
    [...namespaces]
      .filter(([, found]) => found.size > 1)
      .map(([name, found]) => [name, [...found].sort(byCodeUnit)] as const)
      .sort(([a], [b]) => byCodeUnit(a, b)),
  );
}

function isMetByAll(clusters: readonly string[], policy: KubernetesObject): boolean {
  const complianceOf = complianceWith(policy);
  return clusters.every((cluster) => complianceOf(cluster) === "Compliant");
}

/**
 * Returns the managed policies of a ClusterGroupUpgrade by state. `policies` need not include copies of policies, of
 * which a large hub has tens of thousands: the status of a root policy lists its clusters.
 */
export function sortManagedPolicies(
  names: readonly string[],
  clusters: readonly string[],
  policies: readonly KubernetesObject[],
): ManagedPolicies {
  const known = policies.filter((policy) => !isDisabled(policy));
  const roots = known.filter((policy) => !isChildPolicy(policy));
  const selected = new Set(clusters);
  const evidence = joined(names, evidenceOfChildren(known, selected), evidenceOfRoots(roots, clusters));

  const ambiguous = ambiguousOf(evidence);
  const empty = { present: [], compliant: [], missing: [], invalid: [], enforced: [] };
  if (Object.keys(ambiguous).length > 0) return { ...empty, ambiguous };

  const present: KubernetesObject[] = [];
  const compliant: KubernetesObject[] = [];
  const missing: string[] = [];
  const invalid: string[] = [];
  const enforced: string[] = [];
  for (const name of names) {
    if (evidence.enforced.has(name)) {
      enforced.push(name);
      continue;
    }
    const [namespace] = evidence.namespaces.get(name) ?? [];
    const written = roots.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    if (namespace === undefined || !written) {
      missing.push(name);
      continue;
    }
    const root = resolvedPolicy(written, selected, known);
    const isUnresolved = evidence.unresolved.has(name);
    const { problem, hasStatus } = inspectPolicy(root.spec);
    if (problem || isUnresolved) invalid.push(name);
    else if (!hasStatus && isMetByAll(clusters, root)) compliant.push(root);
    else present.push(root);
  }
  return { present, compliant, missing, invalid, ambiguous, enforced };
}
