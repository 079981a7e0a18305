import { enclosingScopes, hostOf, isWildcard } from "../images/scope.ts";
import type { Issue } from "../issues/issue.ts";
import { type ClusterImages, relevantSources } from "./cluster-images.ts";
import { encodeOverrides, type RegistryOverrides } from "./overrides/environment-text.ts";
import type { ManagementMirrors } from "./overrides/management-mirrors.ts";

/** The registry overrides of one hosted cluster, from the mirrors of the management cluster. */
export type ClusterOverrides = Readonly<{
  overrides: RegistryOverrides;
  /** The value of `OPENSHIFT_IMG_OVERRIDES`. */
  text: string;
  /** Errors in rules that may apply to it. */
  issues: readonly Issue[];
}>;

/**
 * Replaces each wildcard with the matching hosts of the cluster's own images, because HyperShift's operators read a
 * wildcard as a name. Its mirrors come after those of the host itself.
 */
function withoutWildcards(overrides: RegistryOverrides, { repositories }: ClusterImages): RegistryOverrides {
  const plain = new Map([...overrides].filter(([source]) => !isWildcard(source)));
  for (const host of new Set([...repositories].map(hostOf))) {
    const mirrors = enclosingScopes(host).flatMap((scope) => overrides.get(scope) ?? []);
    plain.set(host, [...new Set(mirrors)]);
  }
  return plain;
}

/**
 * Returns the overrides of one hosted cluster: only the sources that can match one of its images, so that changes
 * of other sources do not change the text. All sources while its images are unknown.
 */
export function overridesOf({ sources, issues }: ManagementMirrors, images: ClusterImages): ClusterOverrides {
  const relevant = relevantSources(images);
  const applies = (source: string) => relevant === undefined || relevant.has(source);
  const overrides = new Map(
    [...sources.values()]
      .filter(({ source }) => applies(source))
      .map(({ source, mirrors }) => [source, mirrors.map(({ mirror }) => mirror)]),
  );
  return {
    overrides,
    text: encodeOverrides(withoutWildcards(overrides, images)),
    issues: issues.filter(({ source }) => source === undefined || applies(source)).map(({ issue }) => issue),
  };
}
