import { isNested, ScopeIndex } from "../../images/scope.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, neverContactSource, rulePath } from "../input/rules.ts";
import { allGroups, type MergedMirrors } from "../merge/merge.ts";
import type { EntryBasis } from "../node-config/build.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";

/** A field of an object. The path begins at the object's root. */
export type Origin = Readonly<{ kind: string; name: string; path: string }>;

function ruleOrigin({ origin }: MirrorRule, field = ""): Origin {
  const { kind, metadata } = origin.object;
  return { kind, name: metadata.name, path: `${rulePath(origin)}${field}` };
}

function mentions(rules: readonly MirrorRule[], location: string): readonly Origin[] {
  return rules.flatMap((rule) =>
    rule.mirrors.flatMap((mirror, index) =>
      mirror === location ? [ruleOrigin(rule, `.mirrors[${index}]`)] : [],
    ),
  );
}

/** `listedBy` is empty for a source that merging has added to its own mirrors. */
type ListedMirror = Readonly<{ location: string; listedBy: readonly Origin[] }>;

/** A mirror of a source: its settings, and the fields that cause these settings. */
export type MirrorExplanation = ListedMirror &
  Readonly<{
    pulls: "digest" | "tag";
    /** The fields that make TLS optional. Empty when TLS is required. */
    insecureBy: readonly Origin[];
    /** Set if the mirror comes from an outer source: the scope and mirror of that source. Otherwise null. */
    inherited: Readonly<{ scope: string; location: string }> | null;
  }>;

/** An entry of registries.conf, with the fields that cause its contents. */
export type SourceExplanation = Readonly<{
  scope: string;
  /** The mirrors in the order of trying. The source itself comes after the mirrors, unless it is blocked. */
  mirrors: readonly MirrorExplanation[];
  /** The fields that forbid contacting the source. Empty if nodes may contact the source. */
  blockedBy: readonly Origin[];
  /** The fields that make TLS optional at the source. Empty when TLS is required. */
  insecureBy: readonly Origin[];
  /** The outer source from which the entry inherits its mirrors; null if it inherits none. */
  inheritsFrom: string | null;
}>;

function listedBy(scopes: readonly ListedScope[], place: string): readonly Origin[] {
  return scopes
    .filter(({ scope }) => isNested(place, scope))
    .map(({ path }) => ({ kind: "Image", name: "cluster", path }));
}

function pullsOf({ pullFromMirror }: RegistryMirror): MirrorExplanation["pulls"] {
  return pullFromMirror === "tag-only" ? "tag" : "digest";
}

type Groups = { -readonly [kind in keyof EntryBasis["merged"]]?: MergedMirrors };

function groupBySource(merged: EntryBasis["merged"]): ReadonlyMap<string, Groups> {
  const bySource = new Map<string, Groups>();
  for (const kind of ["digest", "tag"] as const) {
    for (const group of merged[kind]) {
      const known = bySource.get(group.source) ?? {};
      known[kind] = group;
      bySource.set(group.source, known);
    }
  }
  return bySource;
}

function ownMirrors({ digest, tag }: Groups): readonly ListedMirror[] {
  return [digest, tag].flatMap((group) =>
    (group?.mirrors ?? []).map((location) => ({
      location,
      listedBy: mentions(group?.rules ?? [], location),
    })),
  );
}

function neverContactedBy({ digest, tag }: Groups): readonly Origin[] {
  const rules = [digest, tag].flatMap((group) => (group?.neverContact ? group.rules : []));
  const closing = new Set(rules.filter(({ policy }) => policy === neverContactSource));
  return [...closing].map((rule) => ruleOrigin(rule, ".mirrorSourcePolicy"));
}

/** A scope inherits the mirrors of the outer source that was merged first. */
function outerSources(groups: readonly MergedMirrors[]): (scope: string) => string | undefined {
  const rankOf = new Map<string, number>();
  for (const [rank, { source }] of groups.entries()) if (!rankOf.has(source)) rankOf.set(source, rank);
  const ranks = new ScopeIndex(rankOf);
  return (scope) => groups[ranks.enclosing(scope).reduce((a, b) => Math.min(a, b), groups.length)]?.source;
}

/** Explains, for each entry or only for `scope`, which fields list mirrors, block the source or make TLS optional. */
export function explainSources(
  entries: readonly RegistryEntry[],
  basis: EntryBasis,
  scope?: string,
): readonly SourceExplanation[] {
  const { merged, insecure, blocked } = basis;
  const groupsOf = groupBySource(merged);
  const outerSource = outerSources(allGroups(merged));
  const entryOf = new Map(entries.map((entry) => [scopeOf(entry), entry]));

  const explainMirrors = (
    entry: RegistryEntry,
    reasons: readonly ListedMirror[],
  ): readonly MirrorExplanation[] =>
    entry.mirrors.flatMap((mirror, index): MirrorExplanation[] => {
      const reason = reasons[index];
      if (!reason) return [];
      const insecureBy = listedBy(insecure, mirror.location);
      return [{ ...reason, pulls: pullsOf(mirror), insecureBy, inherited: null }];
    });

  const explain = (entry: RegistryEntry): SourceExplanation => {
    const own = scopeOf(entry);
    const groups = groupsOf.get(own) ?? {};
    const reasons = ownMirrors(groups);
    const flags = {
      scope: own,
      blockedBy: [...neverContactedBy(groups), ...listedBy(blocked, own)],
      insecureBy: listedBy(insecure, own),
    };
    const outer = outerSource(own);
    const parent = outer === undefined ? undefined : entryOf.get(outer);
    if (reasons.length > 0 || outer === undefined || !parent || entry.mirrors.length === 0)
      return { ...flags, inheritsFrom: null, mirrors: explainMirrors(entry, reasons) };
    const { mirrors } = explain(parent);
    return {
      ...flags,
      inheritsFrom: outer,
      mirrors: mirrors.flatMap((mirror, index): MirrorExplanation[] => {
        const location = entry.mirrors[index]?.location;
        return location === undefined
          ? []
          : [{ ...mirror, location, inherited: { scope: outer, location: mirror.location } }];
      }),
    };
  };
  return entries.filter((entry) => scope === undefined || scopeOf(entry) === scope).map(explain);
}
