import {
  formatImageReference,
  type ImageReference,
  tryParseImageReference,
} from "../../images/image-reference.ts";
import { atMirror, enclosingScopes } from "../../images/scope.ts";
import { hasErrors } from "../../issues/issue.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readMirrorObjects } from "../../mirrors/input/read-mirror-sets.ts";
import type { MirrorRule, PullKind } from "../../mirrors/input/rules.ts";
import { validateRules } from "../../mirrors/input/validate-rules.ts";
import { type MergedMirrors, mergeSources } from "../../mirrors/merge/merge.ts";

/** A mirror, and the references (by digest, by tag) for which nodes use it. */
type PlacedMirror = Readonly<{ mirror: string; pulls: PullKind }>;

/** The merged rules of one source. */
export type SourceMirrors = Readonly<{
  source: string;
  /** In the order of trying, at least one; without duplicates and without the source itself. */
  mirrors: readonly PlacedMirror[];
  /** True if nodes must not pull from the source itself. */
  neverContact: boolean;
}>;

/** The mirrors of a management cluster as its nodes use them, sorted by the code units of their sources. */
export type ManagementMirrors = ReadonlyMap<string, SourceMirrors>;

/** True for rules whose only error is a contradiction to another rule. */
function isUsableAlone(rule: MirrorRule): boolean {
  return !hasErrors(validateRules([rule], "anyone").issues);
}

/** Digest mirrors come before tag mirrors. */
function placeMirrors(
  source: string,
  groups: readonly (readonly [PullKind, MergedMirrors])[],
): SourceMirrors {
  const pullsOf = new Map<string, PullKind>();
  for (const [pulls, { mirrors }] of groups) {
    for (const mirror of mirrors)
      if (mirror !== source) pullsOf.set(mirror, pullsOf.has(mirror) ? "any" : pulls);
  }
  return {
    source,
    mirrors: [...pullsOf].map(([mirror, pulls]) => ({ mirror, pulls })),
    neverContact: groups.some(([, { neverContact }]) => neverContact),
  };
}

/**
 * Reads the mirror objects of a management cluster and merges the rules of each source as its nodes do: the order within a
 * rule is kept, and the order of the objects does not matter. Invalid rules are left out. Rules that only disagree about
 * contacting the source keep their mirrors, and the source is not contacted.
 */
export function readManagementMirrors(objects: readonly KubernetesObject[]): ManagementMirrors {
  const byName = [...objects].sort((a, b) => byCodeUnit(a.metadata.name, b.metadata.name));
  const { usable, refused } = validateRules(readMirrorObjects(byName).rules, "anyone");
  const merged = mergeSources([...usable, ...refused.filter(isUsableAlone)]);
  const bySource = Map.groupBy(
    (["digest", "tag"] as const).flatMap((pulls) =>
      merged[pulls].map((group): readonly [PullKind, MergedMirrors] => [pulls, group]),
    ),
    ([, { source }]) => source,
  );
  const sorted = [...bySource].sort(([a], [b]) => byCodeUnit(a, b));
  return new Map(sorted.map(([source, groups]) => [source, placeMirrors(source, groups)]));
}

/** Returns where nodes of the management cluster look for an image, mirrors of the most specific source first. */
export function locationsOf(image: ImageReference, mirrors: ManagementMirrors): readonly string[] {
  const text = formatImageReference(image);
  const pulls = image.digest === undefined ? "tag" : "digest";
  const matching = (repository: string) =>
    enclosingScopes(repository).flatMap((scope) => mirrors.get(scope) ?? []);
  const rewritten = matching(image.repository).flatMap((one) =>
    one.mirrors
      .filter((placed) => placed.pulls === "any" || placed.pulls === pulls)
      .map(({ mirror }) => atMirror(text, one.source, mirror)),
  );
  // The most specific source decides whether nodes may contact a repository.
  const isAllowed = (location: string) => {
    const parsed = tryParseImageReference(location);
    return parsed !== undefined && !matching(parsed.repository)[0]?.neverContact;
  };
  return [...rewritten, text].filter(isAllowed);
}
