import type { Issue } from "../../issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readMirrorObjects } from "../../mirrors/read.ts";
import { type ClusterImages, relevantSources } from "./cluster-images.ts";
import { encodeOverrides } from "./environment-text.ts";
import type { ManagementMirrors } from "./management-mirrors.ts";
import type { RegistryOverrides } from "./overrides.ts";

/** What the mirrors of the management cluster mean for one hosted cluster. */
export type ClusterOverrides = Readonly<{
  overrides: RegistryOverrides;
  /** The value of `OPENSHIFT_IMG_OVERRIDES`. */
  text: string;
  /** What is wrong with rules that may concern it. */
  issues: readonly Issue[];
}>;

/**
 * The overrides of one hosted cluster: only the sources that can mean one of its images, so that the text stays the
 * same when others change. All sources while its images are not known.
 */
export function overridesOf({ sources, issues }: ManagementMirrors, images: ClusterImages): ClusterOverrides {
  const relevant = relevantSources(images);
  const concerns = (source: string) => relevant === undefined || relevant.has(source);
  const overrides = new Map(
    [...sources.values()]
      .filter(({ source, mirrors }) => mirrors.length > 0 && concerns(source))
      .map(({ source, mirrors }) => [source, mirrors.map(({ mirror }) => mirror)]),
  );
  return {
    overrides,
    text: encodeOverrides(overrides),
    issues: issues.filter(({ source }) => source === undefined || concerns(source)).map(({ issue }) => issue),
  };
}

/** Every source that a mirror object has a rule for, whether the rule can be used or not. */
export function sourcesIn(object: KubernetesObject): ReadonlySet<string> {
  return new Set(readMirrorObjects([object]).rules.map(({ source }) => source));
}

/**
 * Of many hosted clusters, those that a change of these sources can touch. When a mirror object changes, these are
 * the sources that it has and those that it had.
 */
export function touchedBy<Cluster>(
  sources: ReadonlySet<string>,
  clusters: Iterable<Cluster>,
  imagesIn: (cluster: Cluster) => ClusterImages,
): readonly Cluster[] {
  if (sources.size === 0) return [];
  return [...clusters].filter((cluster) => {
    const relevant = relevantSources(imagesIn(cluster));
    return relevant === undefined || !relevant.isDisjointFrom(sources);
  });
}
