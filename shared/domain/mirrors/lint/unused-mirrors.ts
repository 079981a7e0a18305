import { indexScopes, ScopeIndex } from "../../images/scope.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";
import { type MirrorRule, neverContactSource, setKinds } from "../input/rules.ts";
import type { MergedMirrors } from "../merge/merge.ts";
import { EntryLookup } from "../pull/pull-sources.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";
import { type Assembled, type LintFinding, lintFinding } from "./lint-finding.ts";

function blockedMirror(rule: MirrorRule, index: number, scope: string, isListed: boolean): LintFinding {
  const mirror = goQuote(rule.mirrors[index] ?? "");
  const why = isListed ? "is blocked" : `must not be contacted (${neverContactSource})`;
  const fix = isListed
    ? "remove the scope from spec.registrySources.blockedRegistries of Image/cluster"
    : "allow contacting the source that contains it";
  return lintFinding(rule, `mirrors[${index}]`, rule.mirrors[index], {
    code: "MirrorBlocked",
    about: scope,
    message: sentence`the mirror ${mirror} is never used, since ${goQuote(scope)} ${why}`,
    remedy: `Remove the mirror, or ${fix}.`,
  });
}

/** Images in these scopes can be pulled. */
function scopesAroundOpen(entries: readonly RegistryEntry[]): ReadonlySet<string> {
  const around = new Set<string>();
  for (const entry of entries) {
    if (entry.blocked) continue;
    const scope = scopeOf(entry);
    for (let at = scope.indexOf("/"); at >= 0; at = scope.indexOf("/", at + 1))
      around.add(scope.slice(0, at));
  }
  return around;
}

/**
 * Finds mirrors in a blocked scope. The runtime checks blocking for the location that it is about to contact, so it
 * never uses these mirrors.
 */
export function blockedMirrors({ rules, entries, blocked, merged }: Assembled): readonly LintFinding[] {
  const blockedEntries = indexScopes(entries.filter((entry) => entry.blocked).map(scopeOf));
  if (blockedEntries.isEmpty) return [];
  const listed = indexScopes(blocked.map(({ scope }) => scope));
  const forbidden = new Set(
    [...merged.digest, ...merged.tag].filter((group) => group.neverContact).map(({ source }) => source),
  );
  let lookup: EntryLookup | undefined;
  let aroundOpen: ReadonlySet<string> | undefined;

  const blockedBy = (mirror: string): string | undefined => {
    if (!blockedEntries.covers(mirror)) return undefined;
    lookup ??= new EntryLookup(entries);
    const entry = lookup.find(mirror);
    if (!entry?.blocked) return undefined;
    aroundOpen ??= scopesAroundOpen(entries);
    return aroundOpen.has(mirror) ? undefined : scopeOf(entry);
  };
  return rules.flatMap((rule) =>
    rule.mirrors.flatMap((mirror, index): LintFinding[] => {
      const scope = blockedBy(mirror);
      if (scope === undefined) return [];
      const isListed = listed.covers(mirror);
      // No object can change an entry of the base file.
      return isListed || forbidden.has(scope) ? [blockedMirror(rule, index, scope, isListed)] : [];
    }),
  );
}

function sourcesOf(groups: readonly MergedMirrors[]): ReadonlyMap<string, string> {
  return new Map(groups.map(({ source }) => [source, source]));
}

/** The runtime chooses the longest scope, of equally long ones the first in order. */
function nearest(scopes: readonly string[]): string | undefined {
  return scopes.toSorted((a, b) => b.length - a.length || byCodeUnit(a, b))[0];
}

function hiddenFrom(
  kind: keyof typeof setKinds,
  own: readonly MergedMirrors[],
  others: readonly MergedMirrors[],
): LintFinding[] {
  const served = sourcesOf(own);
  if (served.size === 0 || others.length === 0) return [];
  const index = new ScopeIndex(served);
  return others.flatMap(({ source, rules }): LintFinding[] => {
    const [rule] = rules;
    const outer = rule && !served.has(source) ? nearest(index.enclosing(source)) : undefined;
    if (!rule || outer === undefined) return [];
    return [
      lintFinding(rule, "source", source, {
        code: "HidesMirrors",
        about: `${kind} ${outer}`,
        message: sentence`pulls by ${kind} of ${goQuote(source)} do not use the ${kind} mirrors of ${goQuote(outer)}, because it has mirrors of its own`,
        remedy: sentence`Add ${source} to an ${setKinds[kind]}, with the mirrors for pulls by ${kind}.`,
      }),
    ];
  });
}

/**
 * Finds sources with mirrors for one kind of pulls that hide those of an outer scope for the other kind: only the
 * most precise entry is used for an image.
 */
export function hiddenMirrors({ merged: { digest, tag } }: Assembled): readonly LintFinding[] {
  return [...hiddenFrom("digest", digest, tag), ...hiddenFrom("tag", tag, digest)];
}
