import { goQuote } from "../../go-compat/go-quote.ts";
import { ScopeIndex } from "../../images/scope.ts";
import { byCodeUnit } from "../../json/order.ts";
import type { MergedMirrors } from "../merge/merge.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, lintFinding } from "./lint-finding.ts";

type Kind = "digest" | "tag";

const setKinds: Readonly<Record<Kind, string>> = { digest: "ImageDigestMirrorSet", tag: "ImageTagMirrorSet" };

function sourcesOf(groups: readonly MergedMirrors[]): ReadonlyMap<string, string> {
  return new Map(groups.map(({ source }) => [source, source]));
}

/** The scope that the runtime would choose: the longest, of two as long the one that sorts first. */
function nearest(scopes: readonly string[]): string | undefined {
  return scopes.toSorted((a, b) => b.length - a.length || byCodeUnit(a, b))[0];
}

/** Sources that have mirrors, but none for this kind of pulls, inside of others that have. */
function hiddenFrom(
  kind: Kind,
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
        message: `pulls by ${kind} of ${goQuote(source)} do not use the ${kind} mirrors of ${goQuote(outer)}, because it has mirrors of its own`,
        remedy: `Add ${source} to an ${setKinds[kind]}, with the mirrors that pulls by ${kind} are to use.`,
      }),
    ];
  });
}

/**
 * Only the most precise entry counts for an image. A source with mirrors for one kind of pulls thereby takes
 * away those that a scope around it has for the other kind.
 */
export function hiddenMirrors({ merged: { digest, tag, any } }: Assembled): readonly LintFinding[] {
  return [...hiddenFrom("digest", [...digest, ...any], tag), ...hiddenFrom("tag", [...tag, ...any], digest)];
}
