import { choiceIssues } from "../issues/annotations.ts";
import { type AnnotationProblem, annotationIssue, type Issue } from "../issues/issue.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import type { HostedCluster, ImageContentSource } from "./cluster/hosted-cluster.ts";
import { imagesOf, relevantSources } from "./cluster-overrides.ts";
import type { ManagementMirrors } from "./overrides/management-mirrors.ts";

/**
 * Set on a HostedCluster by a user to delegate `spec.imageContentSources` to hubrelay: `release` for the mirrors of
 * the cluster's own images, `all` for every mirror of the management cluster.
 */
export const contentSourcesAnnotation = "hubrelay.dev/image-content-sources";
const choices = ["release", "all"] as const;

/** Returns the error about an annotation with another value. */
export function contentSourcesIssues(hostedCluster: KubernetesObject): readonly Issue[] {
  return choiceIssues(hostedCluster, contentSourcesAnnotation, choices);
}

/** The API's limit for entries, mirrors of one entry, and characters of a name. */
const maxItems = 255;

/** The nodes' mirrors of a hosted cluster; undefined if they are not delegated or cannot be written. */
export type DerivedContentSources = Readonly<{
  sources: readonly ImageContentSource[] | undefined;
  issues: readonly Issue[];
}>;

/**
 * While the location of the release's images is unknown, the present sources stay, because each further change
 * would roll every node again. A cluster without sources gets all of them.
 */
function sourcesOfRelease(
  cluster: HostedCluster,
  repositories: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  const relevant = relevantSources(imagesOf(cluster, repositories));
  if (relevant) return relevant;
  const present = cluster.imageContentSources.map(({ source }) => source);
  return present.length > 0 ? new Set(present) : undefined;
}

/**
 * Derives `spec.imageContentSources` from the digest mirrors of the management cluster, by source: nodes pull their
 * release and most of their images by digest, and HyperShift supports only digest mirrors. A change rolls every
 * node. `repositories` are those of the images in its releases, if they have been read.
 */
export function deriveContentSources(
  cluster: HostedCluster,
  mirrors: ManagementMirrors,
  repositories?: readonly string[],
): DerivedContentSources {
  const choice = cluster.annotations[contentSourcesAnnotation];
  if (choice === undefined) return { sources: undefined, issues: [] };
  const refused = (problem: AnnotationProblem): DerivedContentSources => ({
    sources: undefined,
    issues: [annotationIssue(cluster.object, contentSourcesAnnotation, problem)],
  });
  const invalid = contentSourcesIssues(cluster.object);
  if (invalid.length > 0) return { sources: undefined, issues: invalid };
  const relevant = choice === "release" ? sourcesOfRelease(cluster, repositories) : undefined;
  const derived = [...mirrors.values()].flatMap(({ source, mirrors: placed }): ImageContentSource[] => {
    const byDigest = placed.filter(({ pulls }) => pulls !== "tag").map(({ mirror }) => mirror);
    const applies = relevant === undefined || relevant.has(source);
    return applies && byDigest.length > 0 ? [{ source, mirrors: byDigest }] : [];
  });
  const tooLong = derived.find(
    (entry) =>
      entry.mirrors.length > maxItems ||
      [entry.source, ...entry.mirrors].some((text) => text.length > maxItems),
  );
  if (derived.length > maxItems || tooLong)
    return refused({
      code: "TooManyContentSources",
      value: tooLong?.source ?? derived.length,
      message: tooLong
        ? sentence`The mirrors of ${tooLong.source.slice(0, 300)} exceed the limits of spec.imageContentSources`
        : `The management cluster has mirrors for ${derived.length} sources, and spec.imageContentSources allows ${maxItems}`,
      remedy: "Write spec.imageContentSources by hand and remove the annotation, or mirror whole registries.",
    });
  return { sources: derived, issues: [] };
}

/** Returns how two lists of sources differ, a sentence for each source. */
export function sourceDifferences(
  from: readonly ImageContentSource[],
  to: readonly ImageContentSource[],
): readonly string[] {
  const before = new Map(from.map(({ source, mirrors }) => [source, mirrors.join(", ")]));
  const after = new Map(to.map(({ source, mirrors }) => [source, mirrors.join(", ")]));
  const differences = [...new Set([...before.keys(), ...after.keys()])].sort(byCodeUnit).flatMap((source) => {
    const [old, now] = [before.get(source), after.get(source)];
    if (old === now) return [];
    if (now === undefined) return [sentence`${source} has no mirrors any more.`];
    return [
      sentence`The mirrors of ${source} become ${now}${old === undefined ? "" : sentence`, and are ${old}`}.`,
    ];
  });
  return differences.length > 0 ? differences : ["The order of the sources changes."];
}
