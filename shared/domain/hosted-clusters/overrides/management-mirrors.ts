import { isSource } from "../../images/location-patterns.ts";
import { hasErrors, type Issue } from "../../issues/issue.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readMirrorObjects } from "../../mirrors/input/read-mirror-sets.ts";
import { type MirrorRule, type PullKind, ruleIssue } from "../../mirrors/input/rules.ts";
import { validateRules } from "../../mirrors/input/validate-rules.ts";
import { gather } from "../../mirrors/lint/lint-finding.ts";
import { contradictingOrders } from "../../mirrors/lint/rules-without-effect.ts";
import type { MergedMirrors } from "../../mirrors/merge/merge.ts";
import { mergeSources } from "../../mirrors/merge/merged-sources.ts";
import { sentence } from "../../text/redact.ts";
import { unusablePairs } from "./hypershift-rules.ts";

/** A mirror of a source, and the kind of references that it serves. */
export type PlacedMirror = Readonly<{ mirror: string; pulls: PullKind }>;

/** The merged rules of one source. */
export type SourceMirrors = Readonly<{
  source: string;
  /** In the order of trying, at least one. None equals the source or occurs twice. */
  mirrors: readonly PlacedMirror[];
  /** The source itself must not be contacted. */
  neverContact: boolean;
}>;

/** An issue of a mirror object, and the source that it is about. */
export type MirrorIssue = Readonly<{
  issue: Issue;
  /** Undefined if it is about no source or an unknown one. */
  source: string | undefined;
}>;

/** The mirrors of a management cluster. */
export type ManagementMirrors = Readonly<{
  /** Sorted by the code units of the source. */
  sources: ReadonlyMap<string, SourceMirrors>;
  issues: readonly MirrorIssue[];
}>;

const keyOf = ({ object, list, index }: MirrorRule["origin"]): string =>
  sentence`${object.kind} ${object.metadata.name} spec.${list}[${index}]`;

/** Accepts a source that has a tag or digest by mistake; undefined if the scope is unknown. */
function meantScope(source: string): string | undefined {
  const [named = ""] = source.split("@");
  const slash = named.indexOf("/");
  const colon = slash < 0 ? -1 : named.indexOf(":", slash);
  return [source, colon < 0 ? named : named.slice(0, colon)].find((text) => isSource(text));
}

/** Finds the source of the rule that an issue is about, by object and path. */
function sourceFinder(rules: readonly MirrorRule[]): (issue: Issue) => string | undefined {
  const byKey = new Map(rules.map(({ source, origin }) => [keyOf(origin), source]));
  return ({ object, path }) => {
    const [rule] = /^spec\.\w+\[\d+\]/.exec(path) ?? [];
    const source = rule && byKey.get(`${object.kind} ${object.name} ${rule}`);
    return source === undefined ? undefined : meantScope(source);
  };
}

function ownMirrors(rule: MirrorRule): readonly Issue[] {
  return rule.mirrors.flatMap((mirror, index) =>
    mirror === rule.source
      ? [
          ruleIssue(rule, `mirrors[${index}]`, mirror, {
            code: "DroppedPair",
            severity: "warning",
            message: "This mirror is the source itself and is left out of the overrides",
            remedy: "Remove it: the source is tried after its mirrors anyway.",
          }),
        ]
      : [],
  );
}

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

/** Sorts by name, so that the result does not depend on the order of the input. */
function inStableOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...objects].sort((a, b) => byCodeUnit(a.metadata.name, b.metadata.name));
}

/**
 * Reads the mirror objects of a management cluster and merges the rules of each source as its nodes do: each rule's
 * own order is kept, and the order of the objects does not matter. Invalid rules are left out, each with its issue.
 * Rules that only disagree about contacting the source keep their mirrors, and the source is not contacted.
 */
export function readManagementMirrors(objects: readonly KubernetesObject[]): ManagementMirrors {
  const read = readMirrorObjects(inStableOrder(objects));
  const { usable, refused, issues } = validateRules(read.rules, "anyone");
  const rules = [...usable, ...refused.filter(isUsableAlone)];
  const merged = mergeSources(rules);
  const bySource = Map.groupBy(
    (["digest", "tag"] as const).flatMap((pulls) =>
      merged[pulls].map((group): readonly [PullKind, MergedMirrors] => [pulls, group]),
    ),
    ([, { source }]) => source,
  );
  const placed = [...bySource].map(([source, groups]) => placeMirrors(source, groups));
  const sourceOf = sourceFinder(read.rules);
  const found = [
    ...read.issues,
    ...issues,
    ...gather(contradictingOrders({ merged })),
    ...rules.flatMap(ownMirrors),
    ...rules.flatMap(unusablePairs),
  ];
  return {
    sources: new Map(
      placed.sort((a, b) => byCodeUnit(a.source, b.source)).map((mirrors) => [mirrors.source, mirrors]),
    ),
    issues: found.map((issue) => ({ issue, source: sourceOf(issue) })),
  };
}
