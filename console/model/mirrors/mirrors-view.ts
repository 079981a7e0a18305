import { type Coverage, inputCoverage } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import { mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { configurePool, poolNamed } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import {
  explainSources,
  type Origin,
  type SourceExplanation,
} from "#shared/domain/mirrors/explain/explain-source.ts";
import { isBuiltInPool, machineConfigName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { uncomparedOf } from "#shared/domain/plan/plan.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Query, Snapshot } from "../snapshot.ts";
import { type ImagePath, imagePath } from "./image-path.ts";
import {
  type NodeConfiguration,
  type NodeSource,
  nodeConfiguration,
  nodeKinds,
  withReplacements,
} from "./node-configuration.ts";

/** The MachineConfig of a pool, and the decision of the mirror-config function about it. */
export type PoolState = Readonly<{
  pool: string;
  exists: boolean;
  verdict: string;
  reason: string;
  owner: string;
  /** Changes that the MachineConfig does not have yet. */
  pending: readonly string[];
}>;

/** What the viewer has chosen on the page. `source` is a text to find in the names of sources, mirrors and objects. */
export type MirrorsQuery = Readonly<Record<"image" | "namespace" | "without" | "source" | "pool", string>>;

export type MirrorsView = Readonly<{
  path: ImagePath | undefined;
  problem: string | undefined;
  query: MirrorsQuery;
  renderedBy: NodeConfiguration["renderedBy"];
  /** The pool whose nodes the page is about. */
  nodesOf: string;
  poolNames: readonly string[];
  sources: readonly NodeSource[];
  totalSources: number;
  applied: number;
  leftOut: number;
  /** True if nodes get no rules because of errors. The page then shows what the valid rules alone would do. */
  isRefused: boolean;
  pools: readonly PoolState[];
  coverage: Coverage;
}>;

const decisionsOf = ({ verifications }: Snapshot) =>
  verifications.filter((one) => one.function === "mirror-config").flatMap((one) => one.decisions);

function poolsOf(snapshot: Snapshot): readonly PoolState[] {
  const { list } = snapshot;
  const decisions = decisionsOf(snapshot);
  const present = new Set(list(kinds.MachineConfig).map(({ metadata }) => metadata.name));
  return list(kinds.MachineConfigPool)
    .filter(isBuiltInPool)
    .map(({ metadata: { name: pool } }) => {
      const machineConfig = machineConfigName(pool);
      const found = decisions.find(({ subject }) => subject === machineConfig);
      const { verdict = "not decided yet", reason = "", owner = "hubrelay", differences = [] } = found ?? {};
      return {
        pool,
        exists: present.has(machineConfig),
        verdict,
        reason,
        owner,
        pending: differences,
      };
    });
}

const coveredKinds = [...nodeKinds, kinds.MachineConfigPool];

/** Returns the coverage of the mirrors. `pools` names the pools that are assumed if there is no MachineConfigPool. */
export function coverageOfMirrors(snapshot: Snapshot, issues: readonly Issue[], pools: string): Coverage {
  const objects = coveredKinds.flatMap(snapshot.list);
  const unread = decisionsOf(snapshot).flatMap(uncomparedOf);
  const assumed = clusterAssumptions(mirrorInputOf(objects), { isWhole: true, pools });
  return inputCoverage({ objects, unread, issues, assumed }, coveredKinds);
}

const namesOf = (origins: readonly Origin[]) => origins.map(({ kind, name }) => `${kind}/${name}`);

function isFoundIn(search: string) {
  return ({ scope, mirrors, blockedBy, insecureBy }: SourceExplanation) =>
    [
      scope,
      ...mirrors.flatMap(({ location, listedBy }) => [location, ...namesOf(listedBy)]),
      ...namesOf(blockedBy),
      ...namesOf(insecureBy),
    ].some((text) => text.includes(search));
}

const queryOf = ({ image, namespace, without, source, pool }: Query): MirrorsQuery => ({
  image: image?.trim() ?? "",
  namespace: namespace?.trim() ?? "",
  without: without?.trim() ?? "",
  source: source?.trim() ?? "",
  pool: pool ?? "",
});

/** Returns the content of the page about mirrors: sources with their mirrors, the path of an image, and the pools. */
export function mirrorsView(snapshot: Snapshot, asked: Query): MirrorsView {
  const { list } = snapshot;
  const query = queryOf(asked);
  const { image, source: search } = query;
  const { input, configuration, renderedBy } = nodeConfiguration(snapshot);
  const { refused, entries, basis, applied, leftOut } = configuration;
  const allPools = list(kinds.MachineConfigPool);
  const isPool = allPools.some(({ metadata }) => metadata.name === query.pool);
  const nodesOf = isPool ? query.pool : "worker";
  const nodes = configurePool(poolNamed(allPools, nodesOf), input, configuration);
  const explained = basis ? explainSources(entries, basis) : [];
  const sources = withReplacements(explained, nodes.overriding);
  const found = sources.filter(isFoundIn(search));
  const issues = [...configuration.issues, ...nodes.issues];
  const path =
    image === ""
      ? undefined
      : imagePath(query, {
          pool: nodesOf,
          files: nodes.files,
          input,
          configuration,
          pools: allPools,
          issues,
        });
  return {
    path: path && "names" in path ? path : undefined,
    problem: path && "problem" in path ? path.problem : undefined,
    query,
    renderedBy,
    nodesOf,
    poolNames: allPools.map(({ metadata }) => metadata.name),
    sources: found,
    totalSources: sources.length,
    applied,
    leftOut,
    isRefused: refused,
    pools: poolsOf(snapshot),
    coverage: coverageOfMirrors(snapshot, nodes.issues, sentence`pool ${nodesOf}`),
  };
}
