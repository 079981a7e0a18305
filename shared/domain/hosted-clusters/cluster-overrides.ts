import { enclosingScopes, hostOf } from "../images/image-scopes.ts";
import { isWildcard } from "../images/scope.ts";
import type { Issue } from "../issues/issue.ts";
import { type ClusterImages, relevantSources } from "./cluster-images.ts";
import { encodeOverrides } from "./overrides/environment-text.ts";
import type { ManagementMirrors } from "./overrides/management-mirrors.ts";
import type { RegistryOverrides } from "./overrides/overrides.ts";

/** What the mirrors of the management cluster mean for one hosted cluster. */
export type ClusterOverrides = Readonly<{
  overrides: RegistryOverrides;
  /** The value of `OPENSHIFT_IMG_OVERRIDES`. */
  text: string;
  /** What is wrong with rules that may concern it. */
  issues: readonly Issue[];
}>;

/**
 * Puts in the place of each wildcard the hosts that it means of the cluster's own images: HyperShift's operators, who
 * read the text, take a wildcard for a name. Its mirrors come after those of the host itself.
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
 * The overrides of one hosted cluster: only the sources that can mean one of its images, so that the text stays the
 * same when others change. All sources while its images are not known.
 */
export function overridesOf({ sources, issues }: ManagementMirrors, images: ClusterImages): ClusterOverrides {
  const relevant = relevantSources(images);
  const concerns = (source: string) => relevant === undefined || relevant.has(source);
  const overrides = new Map(
    [...sources.values()]
      .filter(({ source }) => concerns(source))
      .map(({ source, mirrors }) => [source, mirrors.map(({ mirror }) => mirror)]),
  );
  return {
    overrides,
    text: encodeOverrides(withoutWildcards(overrides, images)),
    issues: issues.filter(({ source }) => source === undefined || concerns(source)).map(({ issue }) => issue),
  };
}
