import type { Enforced } from "../issues/coverage.ts";
import { issueObject } from "../issues/issue.ts";
import { displayName, isKind, type KubernetesObject, kinds, namespaceOf } from "../kubernetes/object.ts";
import { decidesPulls } from "../manifests/embedded-objects.ts";
import { type InformingPolicy, joined, type ReadManifests } from "../manifests/located-object.ts";
import { readUpgradeSpec } from "../precache-model/upgrade-spec.ts";
import { complianceWith, isChildPolicy, rootNameOf } from "./policies/managed-policies.ts";
import { managedClustersIn } from "./selection/declared-clusters.ts";
import { selectClusters } from "./selection/select-clusters.ts";

/** Prefix of the annotations on policies that ZTP has generated. */
const ztpGroup = "ran.openshift.io/";
const generator = /^kind:\s*["']?PolicyGen(?:erator|Template)\b/m;

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf("/")));

type Given = Readonly<{
  upgrades: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
  /** The folders that contain input of ZTP's kustomize plugins. */
  generators: ReadonlySet<string>;
}>;

function clustersOf(
  upgrade: KubernetesObject,
  managedClusters: readonly KubernetesObject[],
): readonly string[] {
  const spec = readUpgradeSpec(upgrade);
  const selection = selectClusters(spec, managedClusters);
  return selection.ok ? selection.clusters.map(({ metadata }) => metadata.name) : (spec.clusters ?? []);
}

/** Returns the policies that an upgrade names, each with the clusters that the upgrade selects. */
export function enforcedByUpgrade(
  upgrade: KubernetesObject,
  managedClusters: readonly KubernetesObject[],
): readonly Enforced[] {
  const by = [displayName(issueObject(upgrade))];
  const clusters = clustersOf(upgrade, managedClusters);
  return readUpgradeSpec(upgrade).managedPolicies.map((policy) => ({ policy, by, clusters }));
}

/**
 * Undefined if nothing enforces the policy. TALM also enforces ZTP's policies that no given upgrade names.
 * Source: cluster-group-upgrades-operator, controllers/policy.go (`bindingOverrides`).
 */
function enforcedBy({ policy, file }: InformingPolicy, given: Given): Enforced | undefined {
  const name = rootNameOf(policy);
  const managing = given.upgrades.filter(
    (upgrade) => name !== undefined && readUpgradeSpec(upgrade).managedPolicies.includes(name),
  );
  const isOfZtp =
    Object.keys(policy.metadata.annotations ?? {}).some((key) => key.startsWith(ztpGroup)) ||
    given.generators.has(folderOf(file));
  if (managing.length === 0 && !isOfZtp) return undefined;
  const complianceOf = complianceWith(policy);
  const isReached = (cluster: string) =>
    isChildPolicy(policy) ? cluster === namespaceOf(policy) : complianceOf(cluster) !== "NotMatched";
  const clusters = managing
    .flatMap((upgrade) => clustersOf(upgrade, given.managedClusters))
    .filter(isReached);
  return {
    policy: displayName(issueObject(policy)),
    by: managing.map((upgrade) => displayName(issueObject(upgrade))),
    clusters: [...new Set(clusters)],
  };
}

/** Adds the contents of policies to `read`. `enforced` lists the enforced policies that contain image rules. */
export function withPolicies(
  read: readonly ReadManifests[],
  texts: readonly Readonly<{ file: string; text: string }>[],
): Readonly<{ read: readonly ReadManifests[]; enforced: readonly Enforced[] }> {
  if (!read.some(({ informing }) => informing)) return { read, enforced: [] };
  const objects = read.flatMap((one) => one.objects.map(({ object }) => object));
  const given: Given = {
    upgrades: objects.filter((object) => isKind(kinds.ClusterGroupUpgrade, object)),
    managedClusters: managedClustersIn(objects),
    generators: new Set(texts.flatMap(({ file, text }) => (generator.test(text) ? [folderOf(file)] : []))),
  };
  const enforced: Enforced[] = [];
  const withContents = read.map(({ informing = [], ...one }) =>
    joined([
      one,
      ...informing.map((policy) => {
        const by = enforcedBy(policy, given);
        const contents = policy.contents(by !== undefined);
        if (by && contents.embedded?.some(({ object }) => decidesPulls(object))) enforced.push(by);
        return contents;
      }),
    ]),
  );
  return { read: withContents, enforced };
}
