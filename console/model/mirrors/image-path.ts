import { asWarnings, type Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { MirrorConfiguration, MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { poolNamed } from "#shared/domain/mirrors/effective/pool-configuration.ts";
import type { ImageExplanation, NameExplanation } from "#shared/domain/mirrors/explain/explain-image.ts";
import { issuesOfNodes } from "#shared/domain/mirrors/explain/explain-image.ts";
import { explainSources, type SourceExplanation } from "#shared/domain/mirrors/explain/explain-source.ts";
import type { PullVerdict, RenderedFrom } from "#shared/domain/mirrors/explain/pull-verdict.ts";
import { explainOnPools } from "#shared/domain/mirrors/explain/pull-verdict.ts";
import type { Outage } from "#shared/domain/mirrors/pull/outage.ts";
import { scopeOf } from "#shared/domain/mirrors/registries-conf/registries-conf.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { poolFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";

/** The locations that a node tries for one full name of an image. `source` has the rules that list the locations. */
export type NamePath = NameExplanation & Readonly<{ source: SourceExplanation | undefined }>;

/** The locations from which nodes pull an image, as `hubrelay explain` reports them. */
export type ImagePath = Readonly<{
  verdict: PullVerdict;
  resolvedBy: ImageExplanation["resolvedBy"];
  names: readonly NamePath[];
  /** The pools whose nodes use different locations. */
  otherPools: readonly string[];
  outage?: Outage;
  issues: readonly Issue[];
}>;

/** The nodes of a pool, and the input from which their files are rendered. */
export type ExplainedNodes = Readonly<{
  pool: string;
  files: readonly NodeFile[];
  input: MirrorInput;
  configuration: MirrorConfiguration;
  pools: readonly KubernetesObject[];
  issues: readonly Issue[];
}>;

function sourceOf(
  { entry, entryOrigin }: NameExplanation,
  { entries, basis }: RenderedFrom,
): SourceExplanation | undefined {
  if (!entry || entryOrigin?.machineConfig) return undefined;
  return explainSources(entries, basis, scopeOf(entry))[0];
}

/** Returns the locations from which the nodes of a pool pull an image. If these are unknown, returns the problem. */
export function imagePath(
  { image, namespace, without }: Readonly<Record<"image" | "namespace" | "without", string>>,
  { pool, files, input, configuration, pools, issues }: ExplainedNodes,
): ImagePath | Readonly<{ problem: string }> {
  const { entries, basis } = configuration;
  const renderedFrom = basis && { entries, basis };
  const machineConfigs = input.objects.filter((object) => isKind(kinds.MachineConfig, object));
  const filesOf = (name: string) =>
    name === pool ? files : poolFiles(poolNamed(pools, name), machineConfigs, configuration.files).files;
  const names = pools.map(({ metadata }) => metadata.name);
  const explained = explainOnPools(
    image,
    { pool, pools: names, filesOf, renderedFrom },
    { ...(namespace === "" ? {} : { namespace }), without: without === "" ? [] : [without] },
  );
  if ("problem" in explained) return explained;
  const { explanation, ...pulls } = explained;
  return {
    ...pulls,
    resolvedBy: explanation.resolvedBy,
    names: explanation.names.map((name) => ({
      ...name,
      source: renderedFrom && sourceOf(name, renderedFrom),
    })),
    // Issues of rules for other images are left out: the overview shows them.
    issues: issuesOfNodes(asWarnings(issues)),
  };
}
