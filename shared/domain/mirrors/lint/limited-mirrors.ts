import { goQuote } from "../../go-compat/go-quote.ts";
import type { MirrorRule } from "../input/rules.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, lintFinding } from "./lint-finding.ts";

function limitedMirror(
  rule: MirrorRule,
  index: number,
  has: "digest" | "tag",
  lacks: "digest" | "tag",
): LintFinding {
  const mirror = rule.mirrors[index] ?? "";
  return lintFinding(rule, `mirrors[${index}]`, mirror, {
    code: "MirrorStaysLimited",
    about: has,
    message: `pulls by ${lacks} do not use the mirror ${goQuote(mirror)}: ${goQuote(rule.source)} has it already, for pulls by ${has} only`,
    remedy: `Add the mirror to an Image${lacks === "tag" ? "Tag" : "Digest"}MirrorSet.`,
  });
}

/**
 * Finds mirrors of an ImageSourceTagPolicy, for pulls of both kinds, that the source already has for one of them:
 * an existing location is not repeated, so its limit stays.
 */
export function limitedMirrors({ rules, merged: { digest, tag } }: Assembled): readonly LintFinding[] {
  const unlimited = rules.filter(({ pullKind }) => pullKind === "any");
  if (unlimited.length === 0) return [];
  const byDigest = new Map(digest.map(({ source, mirrors }) => [source, mirrors]));
  const byTag = new Map(tag.map(({ source, mirrors }) => [source, mirrors]));
  return unlimited.flatMap((rule) =>
    rule.mirrors.flatMap((mirror, index): LintFinding[] => {
      const forDigest = byDigest.get(rule.source)?.includes(mirror) ?? false;
      const forTag = byTag.get(rule.source)?.includes(mirror) ?? false;
      if (forDigest === forTag) return [];
      return [
        forDigest ? limitedMirror(rule, index, "digest", "tag") : limitedMirror(rule, index, "tag", "digest"),
      ];
    }),
  );
}
