import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { neverContactSource, setKinds } from "../input/rules.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registry-entry.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, lintFinding } from "./lint-finding.ts";

const pulls = [
  { kind: "digest", unlessOnly: "tag-only" },
  { kind: "tag", unlessOnly: "digest-only" },
] as const;

function unserved({ mirrors }: RegistryEntry): readonly (typeof pulls)[number][] {
  return pulls.filter(({ unlessOnly }) =>
    mirrors.every(({ pullFromMirror }) => pullFromMirror === unlessOnly),
  );
}

/**
 * Finds sources that must not be contacted and have mirrors for one kind of pulls only: the other kind fails on every
 * node. Images of a release are pulled by digest only, so their repositories need no mirror for tags.
 */
export function unreachablePulls({
  rules,
  entries,
  needed,
  publishedRepositories,
}: Assembled): readonly LintFinding[] {
  const closing = new Map(
    rules.filter(({ policy }) => policy === neverContactSource).map((rule) => [rule.source, rule]),
  );
  if (closing.size === 0) return [];
  const ofRelease = new Set([...publishedRepositories, ...needed.map(({ repository }) => repository)]);
  return entries.flatMap((entry): LintFinding[] => {
    const source = scopeOf(entry);
    const rule = closing.get(source);
    if (!rule || !entry.blocked || ofRelease.has(source)) return [];
    return unserved(entry).map(({ kind }) =>
      lintFinding(rule, "mirrorSourcePolicy", rule.policy, {
        code: "PullsWithoutLocation",
        about: `${kind} ${source}`,
        message: sentence`no node can pull images of ${goQuote(source)} by ${kind}: no mirror serves pulls by ${kind}, and the source must not be contacted`,
        remedy: sentence`Add mirrors of ${source} to an ${setKinds[kind]}, or allow contacting the source. If its images are not pulled by ${kind}, nothing needs to change.`,
      }),
    );
  });
}
