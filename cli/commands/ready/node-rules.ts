import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsByCluster } from "#shared/domain/hosted-clusters/nodes/node-pool.ts";
import { nodePoolIssues } from "#shared/domain/hosted-clusters/nodes/node-pool-issues.ts";
import { configMapsOf } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds, namespaceOf } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors, type MirrorInput, mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { configurePool, poolNamed } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type { ExplainProblem } from "#shared/domain/mirrors/explain/explain-image.ts";
import {
  machineConfigName,
  readMachineConfigFiles,
} from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { generatingPool, type Pool, poolFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { findHostedCluster, type NodeGroup, nodeGroups } from "#shared/domain/ready/hosted-rules.ts";
import { type ImageRoute, imageRoutes, type RouteOptions } from "#shared/domain/ready/locations.ts";
import { namespaceLogins } from "#shared/domain/ready/logins.ts";
import { unknownName } from "../../program/unknown-name.ts";
import { requirePool } from "../mirrors/mirror-input.ts";

/** Options that select the nodes of a pool or of a hosted cluster. The default is the pool `worker`. */
export type NodeOptions = Readonly<{ pool?: string; hosted?: string }> & Pick<RouteOptions, "without">;

/** Nodes with the same pull rules. `routeOf` returns the locations from which these nodes pull an image. */
export type NodeRoutes = Pick<NodeGroup, "architectures" | "releases"> &
  Readonly<{ routeOf: (image: string) => ImageRoute | ExplainProblem }>;

/** The pull rules of nodes: from which locations they pull an image. */
export type NodeRules = Readonly<{
  /** One group for a pool. A hosted cluster has one group for each set of nodes with the same pull rules. */
  groups: readonly NodeRoutes[];
  issues: readonly Issue[];
  /** Undefined for nodes of a pool. */
  cluster: HostedCluster | undefined;
}>;

/** Kinds that `--pool` and `--hosted` need besides mirror objects. */
export const nodeKinds = [
  kinds.MachineConfigPool,
  kinds.MachineConfig,
  kinds.HostedCluster,
  kinds.NodePool,
] as const;

/** Kinds of objects that give nodes credentials for registries. */
export const loginKinds = [
  kinds.CRIOCredentialProviderConfig,
  kinds.CRIOCredentialProviderConfigV1alpha1,
] as const;

function presentFiles(objects: readonly KubernetesObject[], pool: string): readonly NodeFile[] | undefined {
  requirePool(objects, pool);
  const machineConfigs = objects.filter((object) => isKind(kinds.MachineConfig, object));
  const generated = machineConfigName(generatingPool(pool));
  const own = machineConfigs.find(({ metadata }) => metadata.name === generated);
  return own && poolFiles(poolNamed(objects, pool), machineConfigs, readMachineConfigFiles(own)).files;
}

function poolIssues(objects: readonly KubernetesObject[], cluster: HostedCluster): readonly Issue[] {
  const configMaps = configMapsOf(objects);
  const pools = nodePoolsByCluster(objects)(cluster);
  return pools.flatMap((read) => nodePoolIssues(cluster, read, configMaps));
}

type Refusal = Readonly<{ refusal: readonly Issue[] }>;

/** Returns a function that finds where a pool's nodes pull an image, or the issues of invalid objects as `refusal`. */
export function routesOf(
  input: MirrorInput,
  pool: Pool,
  options?: RouteOptions,
): Readonly<{ routeOf: NodeRoutes["routeOf"]; issues: readonly Issue[] }> | Refusal {
  const configuration = configureMirrors(input);
  const { issues } = configuration;
  if (configuration.refused) return { refusal: issues };
  const nodes = configurePool(pool, input, configuration);
  return { routeOf: imageRoutes(nodes.files, options), issues: [...issues, ...nodes.issues] };
}

/**
 * Returns pull rules, or the issues of invalid objects as `refusal`. With `byRelease`, nodes of a hosted cluster with
 * different releases are in different groups. Throws `UsageError` for a pool or HostedCluster that does not exist.
 */
export function nodeRules(
  objects: readonly KubernetesObject[],
  { pool, hosted, without = [] }: NodeOptions,
  { byRelease = false }: Readonly<{ byRelease?: boolean }> = {},
): NodeRules | Refusal {
  const cluster = hosted === undefined ? undefined : findHostedCluster(objects, hosted);
  if (hosted !== undefined && !cluster) {
    const all = objects.filter((object) => isKind(kinds.HostedCluster, object));
    const known = all.map((object) => `${namespaceOf(object)}/${object.metadata.name}`);
    throw unknownName(`no such HostedCluster: ${hosted}`, hosted, known);
  }
  const reading = { hasOtherLogins: namespaceLogins(objects), without };
  const alone = { architectures: ["amd64"], releases: [] };
  const own = pool && presentFiles(objects, pool);
  if (own) return { groups: [{ ...alone, routeOf: imageRoutes(own, reading) }], issues: [], cluster };
  const inputs = cluster
    ? nodeGroups(cluster, objects, { byRelease })
    : [{ ...alone, input: mirrorInputOf(objects) }];
  const named = cluster ? { name: "worker" } : poolNamed(objects, pool ?? "worker");
  const groups: NodeRoutes[] = [];
  const issues: Issue[] = [];
  for (const { input, ...group } of inputs) {
    const routes = routesOf(input, named, reading);
    if ("refusal" in routes) return routes;
    groups.push({ ...group, routeOf: routes.routeOf });
    issues.push(...routes.issues);
  }
  return {
    groups,
    issues: withoutRepeats([...issues, ...(cluster ? poolIssues(objects, cluster) : [])]),
    cluster,
  };
}
