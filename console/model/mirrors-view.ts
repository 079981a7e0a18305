import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import type { Coverage } from "#shared/domain/covered/coverage.ts";
import { inputCoverage } from "#shared/domain/covered/input-coverage.ts";
import { sentence } from "#shared/domain/credentials/redact.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import {
  isBuiltInPool,
  machineConfigName,
  readMachineConfigFiles,
} from "#shared/domain/machine-config/machine-config.ts";
import { type NodeFile, nodePaths } from "#shared/domain/machine-config/node-file.ts";
import { clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { configurePool, poolNamed } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import { explainImage, type ImageExplanation } from "#shared/domain/mirrors/explain/explain-image.ts";
import { explainSources } from "#shared/domain/mirrors/explain/explain-source.ts";
import { mirrorInputOf, previousOf } from "#shared/domain/mirrors/mirror-input.ts";
import { withPresentTexts } from "#shared/domain/mirrors/present-texts.ts";
import { uncomparedOf } from "#shared/domain/plan/uncompared.ts";
import { folded, type LineChange, lineChanges } from "./line-changes.ts";
import { entriesOf, type NodeEntry, type NodeSource, withReplacements } from "./node-entries.ts";
import type { Query, Snapshot } from "./snapshot.ts";

/** The MachineConfig of a pool, and what its function decided about it. */
export type PoolState = Readonly<{
  pool: string;
  machineConfig: string;
  exists: boolean;
  verdict: string;
  reason: string;
  owner: string;
  /** What the MachineConfig does not have yet. */
  pending: readonly string[];
}>;

/** The file of nodes as it will be, with what changes. Undefined where the present one is the same. */
export type RenderedFile = Readonly<{
  path: string;
  pool: string | undefined;
  lines: readonly LineChange[];
  isChanged: boolean;
}>;

export type MirrorsView = Readonly<{
  /** As asked; empty without a question. */
  image: string;
  namespace: string;
  explanation: ImageExplanation | undefined;
  /** Why there is no explanation. */
  problem: string | undefined;
  /** Part of a source or mirror that is looked for. */
  search: string;
  /** The pool whose nodes' files the explanation, the sources and the entries are from. */
  nodesOf: string;
  sources: readonly NodeSource[];
  totalSources: number;
  /** Entries that MachineConfigs of people write on these nodes. */
  entries: readonly NodeEntry[];
  /** Rules that take effect, and those left out because of errors. */
  applied: number;
  leftOut: number;
  /** Nothing may be rendered: nodes could not pull their release. */
  isRefused: boolean;
  pools: readonly PoolState[];
  file: RenderedFile | undefined;
  /** What the page is about. */
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
        machineConfig,
        exists: present.has(machineConfig),
        verdict,
        reason,
        owner,
        pending: differences,
      };
    });
}

const readKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion, kinds.MachineConfig];

const coveredKinds = [...readKinds, kinds.MachineConfigPool];

/** Returns the coverage of the mirrors; `pools` are those of a hub without MachineConfigPools. */
export function coverageOfMirrors(snapshot: Snapshot, issues: readonly Issue[], pools: string): Coverage {
  const objects = coveredKinds.flatMap(snapshot.list);
  const unread = decisionsOf(snapshot).flatMap(uncomparedOf);
  const assumed = clusterAssumptions(mirrorInputOf(objects), { isWhole: true, pools });
  return inputCoverage({ objects, unread, issues, assumed }, coveredKinds);
}

function matches(search: string, scope: string, mirrors: readonly string[]): boolean {
  return [scope, ...mirrors].some((text) => text.includes(search));
}

function renderedFile(
  before: readonly NodeFile[],
  files: readonly NodeFile[],
  pool: string | undefined,
): RenderedFile | undefined {
  const path = nodePaths.registriesConf;
  const textIn = (found: readonly NodeFile[]) => found.find((file) => file.path === path)?.contents ?? "";
  const lines = lineChanges(textIn(before), textIn(withPresentTexts(files, before)));
  if (lines.length === 0) return undefined;
  return { path, pool, lines: folded(lines), isChanged: lines.some(({ change }) => change !== "same") };
}

/**
 * Returns the sources of images with their mirrors, where the image of the address comes from, the pools, and the file of
 * the pool that the address names, else of the first with something pending.
 */
export function mirrorsView(snapshot: Snapshot, query: Query): MirrorsView {
  const { list } = snapshot;
  const image = query.image?.trim() ?? "";
  const namespace = query.namespace?.trim() ?? "";
  const search = query.source?.trim() ?? "";
  const pools = poolsOf(snapshot);
  const shown =
    pools.find(({ pool }) => pool === query.pool) ??
    pools.find(({ pending }) => pending.length > 0) ??
    pools[0];
  const machineConfig = list(kinds.MachineConfig).find(
    ({ metadata }) => metadata.name === shown?.machineConfig,
  );
  const filesBefore = machineConfig ? readMachineConfigFiles(machineConfig) : [];
  const objects = readKinds.flatMap(list);
  const input = mirrorInputOf(objects);
  const configuration = configureMirrors({ ...input, previous: previousOf(filesBefore) });
  const { refused, entries, basis, files, applied, leftOut } = configuration;
  const allPools = list(kinds.MachineConfigPool);
  const isPool = allPools.some(({ metadata }) => metadata.name === query.pool);
  const nodesOf = isPool && query.pool ? query.pool : "worker";
  const nodes = configurePool(poolNamed(allPools, nodesOf), input, configuration);
  const sources = withReplacements(basis ? explainSources(entries, basis) : [], nodes.overriding);
  const explained =
    image === "" || refused
      ? undefined
      : explainImage(image, nodes.files, namespace === "" ? {} : { namespace });
  const coverage = coverageOfMirrors(snapshot, nodes.issues, sentence`pool ${nodesOf}`);
  return {
    image,
    namespace,
    explanation: explained && "names" in explained ? explained : undefined,
    problem: explained && "problem" in explained ? explained.problem : undefined,
    search,
    nodesOf,
    sources: sources.filter(({ scope, mirrors }) =>
      matches(
        search,
        scope,
        mirrors.map(({ location }) => location),
      ),
    ),
    totalSources: sources.length,
    entries: entriesOf(nodes.overriding).filter(({ scope, mirrors }) => matches(search, scope, mirrors)),
    applied,
    leftOut,
    isRefused: refused,
    pools,
    file: refused ? undefined : renderedFile(filesBefore, files, shown?.pool),
    coverage,
  };
}
