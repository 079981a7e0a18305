import { writerOf } from "#functions/mirror-config/ownership.ts";
import type { Assumption } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { clusterAssumptions } from "#shared/domain/mirrors/assumptions.ts";
import { configureMirrors, mirrorInputOf, shownConfiguration } from "#shared/domain/mirrors/configuration.ts";
import { configurePools, poolsOf } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type { RenderedFrom } from "#shared/domain/mirrors/explain/pull-verdict.ts";
import type { ContentReader } from "#shared/domain/mirrors/registries-conf/load-registries.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { type ReleaseOptions, releaseInput } from "./release-input.ts";

/** The nodes that pull an image. */
export type ExplainedNodes = Readonly<{
  /** Returns the files of a pool's nodes. */
  filesOf: (pool: string) => readonly NodeFile[];
  /** Reads their files, each once; undefined to read them anew. */
  readContent: ContentReader | undefined;
  /** The pools of the cluster; none for the files of one node. */
  pools: readonly string[];
  /** Who writes the rendered files. */
  renderedBy: "machine-config-operator" | "hubrelay" | "node";
  /** The files are only what the valid rules would give: nothing of these objects reaches nodes. */
  isRefused: boolean;
  /** What the rendered files are from; undefined for files of a node. */
  renderedFrom: RenderedFrom | undefined;
  issues: readonly Issue[];
  assumed: readonly Assumption[];
}>;

type NodesOptions = ReleaseOptions & Parameters<typeof clusterAssumptions>[1];

/** Returns the nodes of a cluster with these objects: what is rendered for them, and what MachineConfigs change in it. */
export async function nodesOfObjects(
  objects: readonly KubernetesObject[],
  { isWhole, pools, ...release }: NodesOptions,
): Promise<ExplainedNodes> {
  const given = mirrorInputOf(objects);
  const input = { ...given, ...(await releaseInput(release, given)) };
  const renderedBy = writerOf(objects);
  // Those about other images are not shown.
  const reporting = { eachField: true };
  const { refused, ...shown } = shownConfiguration(
    configureMirrors(input, { ...reporting, writer: renderedBy }),
  );
  const { basis, entries } = shown;
  const { filesOf, issues, readContent } = configurePools(input, { ...shown, ...reporting });
  return {
    pools: poolsOf(objects).map(({ name }) => name),
    renderedBy,
    renderedFrom: basis && { entries, basis },
    assumed: clusterAssumptions(input, { isWhole, pools }),
    isRefused: refused,
    filesOf,
    readContent,
    issues: [...shown.issues, ...issues],
  };
}
