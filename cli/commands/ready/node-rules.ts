import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { machineConfigName, readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { mirrorInputOf } from "#shared/domain/mirrors/mirror-input.ts";
import { architecturesOfPools, findHostedCluster, nodeRulesOf } from "#shared/domain/ready/hosted-rules.ts";
import { type ImageRoute, routesByFiles } from "#shared/domain/ready/locations.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { requirePool } from "../mirrors/require-pool.ts";

/** Which nodes are asked about: those of a pool, of a hosted cluster, or by the mirror objects as they are. */
export type NodeOptions = Readonly<{ pool?: string; hosted?: string }>;

/** How nodes pull images. */
export type NodeRules = Readonly<{
  routeOf: (image: string) => ImageRoute | Readonly<{ problem: string }>;
  issues: readonly Issue[];
  /** The HostedCluster whose nodes these are. */
  cluster: HostedCluster | undefined;
  architectures: readonly string[];
}>;

/** Kinds that are read besides mirror objects. */
export const nodeKinds = [
  kinds.MachineConfigPool,
  kinds.MachineConfig,
  kinds.HostedCluster,
  kinds.NodePool,
] as const;

const builtInPools: ReadonlySet<string> = new Set(["master", "worker", "arbiter"]);

/** Returns the files that the MachineConfig of a pool writes, if it has one that is generated from mirror objects. */
function filesOfPool(objects: readonly KubernetesObject[], pool: string): readonly NodeFile[] | undefined {
  requirePool(objects, pool);
  // Only custom pools have the worker's files.
  const names = [pool, ...(builtInPools.has(pool) ? [] : ["worker"])].map(machineConfigName);
  const [own] = names.flatMap((name) =>
    objects.filter((object) => isKind(kinds.MachineConfig, object) && object.metadata.name === name),
  );
  return own && readMachineConfigFiles(own);
}

/** Finds the rules of the nodes. Throws `UsageError` for a pool or HostedCluster that does not exist. */
export function nodeRules(
  objects: readonly KubernetesObject[],
  { pool, hosted }: NodeOptions,
): NodeRules | Readonly<{ refusal: readonly Issue[] }> {
  const cluster = hosted === undefined ? undefined : findHostedCluster(objects, hosted);
  if (hosted !== undefined && !cluster) throw new UsageError(`no such HostedCluster: ${hosted}`);
  const architectures = cluster ? architecturesOfPools(objects, cluster) : ["amd64"];
  const own = pool === undefined ? undefined : filesOfPool(objects, pool);
  if (own) return { routeOf: routesByFiles(own), issues: [], cluster, architectures };
  const { files, refused, issues } = configureMirrors(
    cluster ? nodeRulesOf(cluster) : mirrorInputOf(objects),
  );
  return refused ? { refusal: issues } : { routeOf: routesByFiles(files), issues, cluster, architectures };
}
