import { type KubernetesObject, kinds, namespaceOf } from "#shared/domain/kubernetes/object.ts";
import {
  configReferenceOf,
  readUpgradeSpec,
  type UpgradeSpec,
} from "#shared/domain/precache-model/upgrade-spec.ts";
import type { PlanInput, PlanOptions } from "#shared/domain/precache-plan/plan-input.ts";
import { graphQueries } from "#shared/domain/precache-plan/plan-precache.ts";
import { copyName, hasHubTemplate } from "#shared/domain/precache-plan/policies/managed-policies.ts";
import { type GraphResponse, graphKey } from "#shared/domain/precache-plan/policies/update-graph.ts";
import { hubVersionOf, nodesIn, nodesOnly } from "#shared/domain/precache-plan/selection/cluster-facts.ts";
import { overridesConfigMap } from "#shared/domain/precache-plan/values/image-issues.ts";
import type { UpdateGraph } from "#shared/ports/external-ports.ts";
import { type HubReader, ifPermitted } from "#shared/ports/hub.ts";

const maxSingleReads = 20;

function singleReads({ clusters = [], clusterSelector, clusterLabelSelectors }: UpgradeSpec) {
  if (clusterSelector || clusterLabelSelectors || clusters.length > maxSingleReads) return undefined;
  return [...new Set(clusters)];
}

async function each(
  names: readonly string[],
  read: (name: string) => Promise<KubernetesObject | undefined>,
): Promise<readonly KubernetesObject[]> {
  return (await Promise.all(names.map(read))).filter((object) => object !== undefined);
}

async function readManagedClusters(
  hub: HubReader,
  upgrade: UpgradeSpec,
): Promise<readonly KubernetesObject[]> {
  const names = singleReads(upgrade);
  return names ? each(names, (name) => hub.get(kinds.ManagedCluster, name)) : hub.list(kinds.ManagedCluster);
}

/** Returns the number of nodes by cluster name, from ManagedClusterInfos. Empty without RHACM, which writes them. */
async function readNodes(hub: HubReader, upgrade: UpgradeSpec): Promise<ReadonlyMap<string, number>> {
  const names = singleReads(upgrade);
  const { found = [] } = await ifPermitted(
    names
      ? each(names, (name) => hub.get(kinds.ManagedClusterInfo, name, name))
      : hub.list(kinds.ManagedClusterInfo, { keep: nodesOnly }),
  );
  return nodesIn(found);
}

async function readConfig(
  hub: HubReader,
  cgu: KubernetesObject,
  { preCachingConfigRef }: UpgradeSpec,
): Promise<KubernetesObject | undefined> {
  const reference = configReferenceOf(cgu, preCachingConfigRef);
  return reference && hub.get(kinds.PreCachingConfig, reference.name, reference.namespace);
}

/** Returns a function that reduces copies of policies. Copies with equal specs then share one spec in memory. */
function withSharedSpecs(): (copy: KubernetesObject) => KubernetesObject {
  const specs = new Map<string, unknown>();
  return ({ apiVersion, kind, metadata: { name, namespace, uid, labels }, spec }) => {
    const text = JSON.stringify(spec) ?? "";
    if (!specs.has(text)) specs.set(text, spec);
    const metadata = {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(labels && { labels }),
    };
    return { apiVersion, kind, metadata, spec: specs.get(text) };
  };
}

/** Reads copies only of policies with hub templates, because only copies have the templates' resolved values. */
async function readPolicies(
  hub: HubReader,
  { managedPolicies }: UpgradeSpec,
): Promise<readonly KubernetesObject[]> {
  const named = async (names: Iterable<string>, keep?: ReturnType<typeof withSharedSpecs>) => {
    const lists = [...new Set(names)].map((name) => hub.list(kinds.Policy, { name, ...(keep && { keep }) }));
    return (await Promise.all(lists)).flat();
  };
  const roots = await named(managedPolicies);
  return [...roots, ...(await named(roots.filter(hasHubTemplate).map(copyName), withSharedSpecs()))];
}

/** Reads everything on the hub that the plan of a ClusterGroupUpgrade depends on. */
export async function readPlanInput(
  hub: HubReader,
  cgu: KubernetesObject,
): Promise<Omit<PlanInput, "lookup">> {
  const upgrade = readUpgradeSpec(cgu);
  const [config, configMap, clusterVersion, policies, managedClusters, nodes, imageBased] = await Promise.all(
    [
      readConfig(hub, cgu, upgrade),
      hub.get(kinds.ConfigMap, overridesConfigMap, namespaceOf(cgu)),
      hub.get(kinds.ClusterVersion, "version"),
      readPolicies(hub, upgrade),
      readManagedClusters(hub, upgrade),
      readNodes(hub, upgrade),
      ifPermitted(hub.list(kinds.ImageBasedGroupUpgrade)),
    ],
  );
  return {
    cgu,
    managedClusters,
    nodes,
    policies,
    preCachingConfigs: config ? [config] : [],
    configMaps: configMap ? [configMap] : [],
    imageBasedUpgrades: imageBased.found ?? [],
    hubVersion: hubVersionOf(clusterVersion),
  };
}

/** Queries the update graphs that a plan depends on. Returns the responses by query. */
export async function queryGraphs(
  input: Omit<PlanInput, "lookup">,
  options: PlanOptions,
  updateGraph: UpdateGraph,
): Promise<ReadonlyMap<string, GraphResponse>> {
  const responses = new Map<string, GraphResponse>();
  for (;;) {
    const queries = graphQueries(input, options, responses);
    if (queries.length === 0) return responses;
    for (const query of queries) responses.set(graphKey(query), await updateGraph.ask(query));
  }
}
