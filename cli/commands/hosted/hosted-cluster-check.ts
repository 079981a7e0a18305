import { admit, findStored } from "#shared/domain/crd/admit.ts";
import { withKnownSources } from "#shared/domain/diff/held-content-sources.ts";
import { hostedClusterCosts } from "#shared/domain/diff/hosted-cluster-cost.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsByCluster, readNodePool } from "#shared/domain/hosted-clusters/nodes/node-pool.ts";
import {
  nodePoolIssues,
  nodePoolReleaseIssues,
} from "#shared/domain/hosted-clusters/nodes/node-pool-issues.ts";
import { configMapsOf } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import { admissionIssues } from "#shared/domain/hosted-clusters/validation/refusals.ts";
import { unusedTuning } from "#shared/domain/hosted-clusters/validation/unused-tuning.ts";
import { validateHostedCluster } from "#shared/domain/hosted-clusters/validation/validate-hosted-cluster.ts";
import { fieldIssue, type Issue, versionIssues } from "#shared/domain/issues/issue.ts";
import { isKind, isOfAnyVersion, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Unread } from "#shared/domain/result-coverage/coverage.ts";
import { readSources } from "../../io/manifest-source.ts";
import { rolloutText } from "../mirrors/cost-table.ts";

type Objects = readonly KubernetesObject[];

/**
 * Returns a warning for each hosted cluster whose nodes these objects replace or drain when they are applied to a hub that
 * has the stored ones. It names NodePools and nodes.
 */
function rolloutIssues(objects: Objects, stored: Objects, now: Date): readonly Issue[] {
  if (stored.length === 0) return [];
  const all = [...objects, ...stored.filter((object) => !findStored(object, objects))];
  const windows = all.filter((object) => isKind(kinds.MaintenanceWindow, object));
  const costs = hostedClusterCosts(withKnownSources(stored, all), withKnownSources(all, all), {
    windows,
    now,
  });
  return costs.flatMap((cluster): Issue[] => {
    if (cluster.cost === "none") return [];
    const { namespace, name, waits, fields, differences } = cluster;
    const about = { kind: kinds.HostedCluster.kind, namespace, name };
    const [field = ""] = fields;
    const isMirrors = fields.length === 1 && field === "spec.imageContentSources";
    return [
      fieldIssue(about, field.startsWith("NodePool ") ? "" : field, differences, {
        code: "RollsNodes",
        severity: "warning",
        message: `${isMirrors ? "The nodes get other mirrors." : differences.join(" ")} ${rolloutText(cluster)}`,
        remedy: waits
          ? "Nothing to do: hubrelay writes it when a maintenance window or hubrelay.dev/max-cost allows it."
          : "Apply it when nodes may be replaced.",
      }),
    ];
  });
}

/** The stored objects to compare with: none, manifests, or the hub with a server-side dry run. */
export type CheckOptions = Readonly<{
  /** A file, a directory, `-` or `hub`. */
  against?: string | undefined;
  /** Where CustomResourceDefinitions are. */
  crds?: string | undefined;
}>;

const isHostedCluster = (object: KubernetesObject) => isOfAnyVersion(kinds.HostedCluster, object);
const isSameIssue = (a: Issue, b: Issue) => a.path === b.path && a.message === b.message;
const isSameField = (a: Issue, b: Issue) => a.path === b.path && a.severity === "error";

/** Returns the issues of a second validator that the first did not report. Messages about mirrors differ. */
function added(own: readonly Issue[], other: readonly Issue[], object: KubernetesObject): readonly Issue[] {
  const isKnown = isHostedCluster(object) ? isSameIssue : isSameField;
  return other.filter((issue) => !own.some((mine) => isKnown(mine, issue)));
}

async function storedObjects(
  path: string,
): Promise<{ stored: readonly KubernetesObject[]; issues: readonly Issue[] }> {
  const { objects, issues } = await readSources([path]);
  return { stored: objects.map(({ object }) => object), issues };
}

type CrdCheck = Readonly<{
  issues: readonly Issue[];
  /** Undefined for an object without a CRD. */
  issuesOf(object: KubernetesObject): readonly Issue[] | undefined;
}>;

async function crdIssues(
  objects: readonly KubernetesObject[],
  stored: readonly KubernetesObject[],
  path: string,
): Promise<CrdCheck> {
  const [{ readCrds }, { matchesPattern }] = await Promise.all([
    import("./crd/read-crds.ts"),
    import("./crd/linear-pattern.ts"),
  ]);
  const { schemaOf, issues } = await readCrds(path);
  const found = new Map(
    objects.map((object) => {
      const schema = schemaOf(object);
      const old = findStored(object, stored);
      return [object, schema && admissionIssues(object, admit(object, old, schema, matchesPattern))] as const;
    }),
  );
  return { issuesOf: (object) => found.get(object), issues };
}

/** Returns issues of NodePools: on their own, and with their HostedClusters, the given ones, else the stored. */
function poolIssues(
  objects: readonly KubernetesObject[],
  stored: readonly KubernetesObject[],
): readonly Issue[] {
  const nodePools = objects.filter((object) => isKind(kinds.NodePool, object));
  const given = objects.filter(isHostedCluster);
  const others = stored.filter((object) => isHostedCluster(object) && !findStored(object, given));
  const poolsOf = nodePoolsByCluster(nodePools);
  // A ConfigMap among the objects replaces the stored one.
  const configMaps = configMapsOf([...stored, ...objects]);
  const together = [...given, ...others].flatMap((object) => {
    const { cluster } = readHostedCluster(object);
    return [
      ...unusedTuning(cluster, nodePools),
      ...poolsOf(cluster).flatMap((read) => nodePoolIssues(cluster, read, configMaps)),
    ];
  });
  return [...nodePools.flatMap((object) => nodePoolReleaseIssues(readNodePool(object).pool)), ...together];
}

export type ObjectChecks = Readonly<{
  /** Returns the issues of one cluster's objects that `known` does not have. */
  issuesOf(objects: readonly KubernetesObject[], known: readonly Issue[]): readonly Issue[];
  isCoveredByCrd(object: KubernetesObject): boolean;
  /** What NodePools name and may not be read on the hub. */
  unread: readonly Unread[];
}>;

/**
 * Returns checks as API servers make them: HostedClusters by hubrelay's own rules, and every object by its CRD, if that
 * is given. What these compare with is read once for the objects of all clusters.
 */
export async function objectChecks(
  all: readonly KubernetesObject[],
  { against, crds }: CheckOptions,
): Promise<ObjectChecks> {
  const hub = against === "hub" ? await import("../mirrors/hub-dry-run.ts") : undefined;
  const asked = await hub?.dryRunOnHub(all);
  const old = !asked && against !== undefined ? await storedObjects(against) : undefined;
  const stored = asked?.stored ?? old?.stored ?? [];
  const byCrd = crds === undefined ? undefined : await crdIssues(all, stored, crds);
  const ofObject = (object: KubernetesObject, known: readonly Issue[]) => {
    const { kind, metadata } = object;
    const own = isHostedCluster(object)
      ? [
          ...versionIssues(kinds.HostedCluster, object),
          ...validateHostedCluster(object, findStored(object, stored)),
        ]
      : known.filter((issue) => issue.object.kind === kind && issue.object.name === metadata.name);
    const more = added(own, byCrd?.issuesOf(object) ?? [], object);
    const both = [...own, ...more];
    const found = [...both, ...added(both, asked?.issuesOf(object) ?? [], object)];
    return isHostedCluster(object) ? found : found.slice(own.length);
  };
  return {
    issuesOf: (objects, known) => [
      ...(asked?.issues ?? old?.issues ?? []),
      ...(byCrd?.issues ?? []),
      ...objects.flatMap((object) => ofObject(object, known)),
      ...poolIssues(objects, stored),
      ...rolloutIssues(objects, stored, new Date()),
    ],
    unread: asked?.unread ?? [],
    isCoveredByCrd: (object) => byCrd?.issuesOf(object) !== undefined,
  };
}
