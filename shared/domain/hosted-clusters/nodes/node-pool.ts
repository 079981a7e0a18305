import {
  asWritten,
  choice,
  type Field,
  flag,
  list,
  map,
  object,
  orNull,
  partial,
  readField,
  required,
  text,
  type ValueOf,
  whole,
} from "../../issues/field.ts";
import type { Issue } from "../../issues/issue.ts";
import { fieldsOf, listOf, textOf } from "../../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds, namespaceOf } from "../../kubernetes/object.ts";
import { versionInTag } from "../../openshift/releases/release.ts";
import { platform } from "../cluster/hosted-cluster-spec.ts";

/** How HyperShift updates nodes: it replaces them, or changes them in place. */
export type UpgradeType = "Replace" | "InPlace";

type NodeCount = number | string;

const nodeCount = (): Field<NodeCount | undefined> => ({
  definition: { "x-kubernetes-int-or-string": true },
  read: (value, path, refuse) =>
    value === undefined || typeof value === "string" || typeof value === "number"
      ? value
      : refuse(path, value, "a number or a percentage"),
});

/** Reads `spec.replicas`. An invalid value becomes null, so that the number of nodes counts as unknown. */
const replicas: Field<number | null | undefined> = {
  ...whole({ minimum: 0 }),
  read: (value, path, refuse) =>
    value === undefined ? undefined : (whole().read(value, path, refuse) ?? null),
};

const anObject = orNull(map(asWritten()));

/**
 * The fields of a NodePool's spec in all releases from 4.14 to 5.2. Source: hypershift, release branches and main of
 * 2026-08-22, api/hypershift/v1beta1/nodepool_types.go.
 */
export const nodePoolSpec = partial({
  clusterName: text(),
  arch: text(),
  release: orNull(partial({ image: text() })),
  platform,
  replicas: orNull(replicas),
  autoScaling: orNull(partial({ min: whole(), max: whole() })),
  management: orNull(
    partial({
      upgradeType: choice(["Replace", "InPlace"]),
      autoRepair: orNull(flag()),
      replace: orNull(
        partial({
          strategy: text(),
          rollingUpdate: orNull(partial({ maxUnavailable: nodeCount(), maxSurge: nodeCount() })),
        }),
      ),
      inPlace: orNull(partial({ maxUnavailable: nodeCount() })),
    }),
  ),
  config: orNull(list(object({ name: required(text()) }))),
  tuningConfig: orNull(list(object({ name: required(text()) }))),
  taints: orNull(list(partial({ key: text(), value: text(), effect: text() }))),
  nodeLabels: anObject,
  osImageStream: orNull(partial({ name: text() })),
  nodeDrainTimeout: orNull(text()),
  nodeVolumeDetachTimeout: orNull(text()),
  pausedUntil: orNull(text()),
});

/** A NodePool of a hosted cluster. */
export type NodePool = Readonly<{
  object: KubernetesObject;
  namespace: string;
  name: string;
  clusterName: string;
  /** The release that the nodes run or will run; empty if the field is missing. */
  releaseImage: string;
  /** The version in the tag of the release image, otherwise the version in the status; null if neither exists. */
  version: string | null;
  runningVersion: string | null;
  arch: string;
  platform: string | null;
  /** `spec.replicas`, or `status.replicas` of an autoscaled pool; null if unknown. */
  nodes: number | null;
  autoScaling: Readonly<{ min?: number; max?: number }> | null;
  /** Null if missing or invalid. */
  upgradeType: UpgradeType | null;
  /** The maximum number of additional nodes during a rollout, or a percentage such as `25%`; null if none applies. */
  maxSurge: NodeCount | null;
  maxUnavailable: NodeCount | null;
  /** The names of the ConfigMaps of `spec.config`, which are in the pool's namespace. */
  config: readonly string[];
  conditions: readonly unknown[];
}>;

export type ReadNodePool = Readonly<{ pool: NodePool; issues: readonly Issue[] }>;

type Spec = NonNullable<ValueOf<typeof nodePoolSpec>>;

/** The defaults are HyperShift's. The strategy OnDelete has no limits. */
function limitsOf({
  management: { upgradeType, replace, inPlace } = {},
}: Spec): Pick<NodePool, "maxSurge" | "maxUnavailable"> {
  if (upgradeType === "InPlace") return { maxSurge: null, maxUnavailable: inPlace?.maxUnavailable ?? 1 };
  if (upgradeType === undefined || replace?.strategy === "OnDelete")
    return { maxSurge: null, maxUnavailable: null };
  const { maxSurge = 1, maxUnavailable = 0 } = replace?.rollingUpdate ?? {};
  return { maxSurge, maxUnavailable };
}

/** Reads a NodePool; never throws. A mistyped field gets its default and an issue. */
export function readNodePool(nodePool: KubernetesObject): ReadNodePool {
  const { value: spec = {}, issues } = readField(nodePool, "spec", nodePool.spec ?? undefined, nodePoolSpec);
  const status = fieldsOf(nodePool.status);
  const runningVersion = textOf(status.version) ?? null;
  const { autoScaling } = spec;
  const releaseImage = spec.release?.image ?? "";
  // Without `replicas` and `autoScaling`, HyperShift creates no nodes.
  const { replicas: wanted = 0 } = spec;
  const found = autoScaling ? status.replicas : wanted;
  return {
    pool: {
      object: nodePool,
      namespace: namespaceOf(nodePool),
      name: nodePool.metadata.name,
      clusterName: spec.clusterName ?? "",
      releaseImage,
      version: versionInTag(releaseImage) ?? runningVersion,
      runningVersion,
      arch: spec.arch ?? "amd64",
      platform: spec.platform?.type ?? null,
      nodes: typeof found === "number" ? found : null,
      autoScaling: autoScaling ?? null,
      upgradeType: spec.management?.upgradeType ?? null,
      ...limitsOf(spec),
      config: (spec.config ?? []).map(({ name }) => name),
      conditions: listOf(status.conditions),
    },
    issues,
  };
}

type Named = Readonly<{ namespace: string; name: string }>;

/** Returns a function that finds the NodePools of a hosted cluster, which are in the cluster's namespace. */
export function nodePoolsByCluster(
  objects: readonly KubernetesObject[],
): (cluster: Named) => readonly ReadNodePool[] {
  const pools = objects.filter((object) => isKind(kinds.NodePool, object)).map(readNodePool);
  const byCluster = Map.groupBy(pools, ({ pool }) => `${pool.namespace}/${pool.clusterName}`);
  return ({ namespace, name }) => byCluster.get(`${namespace}/${name}`) ?? [];
}

/** Returns the NodePools of one hosted cluster. */
export function nodePoolsOf(cluster: Named, nodePools: readonly KubernetesObject[]): readonly NodePool[] {
  return nodePools
    .filter(
      (object) =>
        fieldsOf(object.spec).clusterName === cluster.name &&
        namespaceOf(object) === cluster.namespace &&
        isKind(kinds.NodePool, object),
    )
    .map((object) => readNodePool(object).pool);
}
