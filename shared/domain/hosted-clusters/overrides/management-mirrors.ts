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
import { mergeSources } from "../../mirrors/merge/entries.ts";
import type { MergedMirrors } from "../../mirrors/merge/merge.ts";

/** A mirror of a source, and the kind of references that it serves. */
type PlacedMirror = Readonly<{ mirror: string; pulls: PullKind }>;

/** The merged rules of one source. */
export type SourceMirrors = Readonly<{
  source: string;
  /** In the order of trying, at least one. None equals the source or occurs twice. */
  mirrors: readonly PlacedMirror[];
  /** The source itself must not be contacted. */
  neverContact: boolean;
}>;

/** The mirrors of a management cluster as its nodes use them, by source and sorted by its code units. */
export type ManagementMirrors = ReadonlyMap<string, SourceMirrors>;

/** Keeps the mirrors of rules that are invalid only because they contradict another rule. */
function isUsableAlone(rule: MirrorRule): boolean {
  return !hasErrors(validateRules([rule], "anyone").issues);
}

/** Merges the mirrors of a source for both kinds of pulls into one list, digest mirrors first. */
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
 * Reads the mirror objects of a management cluster and merges the rules of each source as its nodes do: each rule's
 * own order is kept, and the order of the objects does not matter. Invalid rules are left out. Rules that only disagree
 * about contacting the source keep their mirrors, and the source is not contacted.
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

/** Returns where nodes of the management cluster look for an image, the mirrors of the nearest source first. */
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
  // The narrowest source decides whether a repository may be contacted.
  const isAllowed = (location: string) => {
    const parsed = tryParseImageReference(location);
    return parsed !== undefined && !matching(parsed.repository)[0]?.neverContact;
  };
  return [...rewritten, text].filter(isAllowed);
}
