import type { Issue } from "../../issue.ts";
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
