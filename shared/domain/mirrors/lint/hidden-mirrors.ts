import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { ScopeIndex } from "../../images/scope.ts";
import { byCodeUnit } from "../../json/values.ts";
import { setKinds } from "../input/rules.ts";
import type { MergedMirrors } from "../merge/merge.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, lintFinding } from "./lint-finding.ts";

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
export function hiddenMirrors({ merged: { digest, tag, any } }: Assembled): readonly LintFinding[] {
  return [...hiddenFrom("digest", [...digest, ...any], tag), ...hiddenFrom("tag", [...tag, ...any], digest)];
}
