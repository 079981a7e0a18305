import { isGenerated, owner, ownerAnnotation } from "#functions/mirror-config/ownership.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isMachineConfigName, readMachineConfigFiles } from "#shared/domain/machine-config/machine-config.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { assumedRelease, clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import {
  configureMirrors,
  type MirrorInput,
  mirrorInputOf,
  previousOf,
  rejectedByOperator,
} from "#shared/domain/mirrors/configuration.ts";
import { configurePools, poolsOf } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type { RenderedFrom } from "#shared/domain/mirrors/explain/pull-verdict.ts";
import type { ContentReader } from "#shared/domain/mirrors/registries-conf/load-registries.ts";
import type { Assumption } from "#shared/domain/result-coverage/coverage.ts";
import { type ReleaseOptions, releaseInput } from "./release-input.ts";

/** The nodes that pull an image. */
export type ExplainedNodes = Readonly<{
  /** Returns the files of a pool's nodes; undefined when nothing can be rendered. */
  filesOf: ((pool: string) => readonly NodeFile[]) | undefined;
  /** Reads their files, each once; undefined to read them anew. */
  readContent: ContentReader | undefined;
  /** The pools of the cluster; none for the files of one node. */
  pools: readonly string[];
  /** Who writes the rendered files. */
  renderedBy: "machine-config-operator" | "hubrelay" | "node";
  /** What the rendered files are from; undefined for files of a node, or when nothing can be rendered. */
  renderedFrom: RenderedFrom | undefined;
  issues: readonly Issue[];
  assumed: readonly Assumption[];
}>;

type NodesOptions = ReleaseOptions & Readonly<{ compat?: "mco" }> & Parameters<typeof clusterAssumptions>[1];

/** Returns the files that hubrelay has written, of which what is left out now keeps what they block. */
function appliedOf(generated: readonly KubernetesObject[]): Pick<MirrorInput, "previous"> {
  const own = generated.find(({ metadata }) => metadata.annotations?.[ownerAnnotation] === owner);
  return own ? { previous: previousOf(readMachineConfigFiles(own)) } : {};
}

/** Returns the nodes of a cluster with these objects: what is rendered for them, and what MachineConfigs change in it. */
export async function nodesOfObjects(
  objects: readonly KubernetesObject[],
  { compat, isWhole, pools, ...release }: NodesOptions,
): Promise<ExplainedNodes> {
  const given = mirrorInputOf(objects);
  const input = { ...given, ...(await releaseInput(release, given)) };
  const generated = objects.filter(
    (object) => isKind(kinds.MachineConfig, object) && isMachineConfigName(object.metadata.name),
  );
  const isOperators = compat === "mco" || generated.some(isGenerated);
  // Those about other images are not shown.
  const reporting = { eachField: true };
  const configuration = isOperators
    ? configureMirrors(input, { compat: "mco" })
    : configureMirrors({ ...input, ...appliedOf(generated) }, reporting);
  const ofOperator = isOperators ? assumedRelease(configuration.releases) : rejectedByOperator(input);
  const issues = [...ofOperator, ...configuration.issues];
  const { basis, entries } = configuration;
  const nodes = {
    pools: poolsOf(objects).map(({ name }) => name),
    renderedBy: isOperators ? "machine-config-operator" : "hubrelay",
    renderedFrom: basis && { entries, basis },
    assumed: clusterAssumptions(input, { isWhole, pools }),
  } as const;
  if (configuration.refused) return { ...nodes, filesOf: undefined, readContent: undefined, issues };
  const { filesOf, issues: ofPools, readContent } = configurePools(input, { ...configuration, ...reporting });
  return {
    ...nodes,
    filesOf,
    readContent,
    issues: [...issues, ...ofPools],
  };
}
