import { sentence } from "../../credentials/redact.ts";
import { parseDockerReference } from "../../images/docker-reference.ts";
import type { Issue } from "../../issues/issue.ts";
import { type MirrorRule, ruleIssue } from "../../mirrors/input/rules.ts";
import { applyPair } from "./hypershift-rules.ts";

const namespaceAndName = ["any", "image"];

/** An image of a source: its own repository if its path has two parts, else one below it. */
function imageOf(source: string): string {
  const given = source.split("/").slice(1);
  return [source, ...namespaceAndName.slice(given.length)].join("/");
}

function indexed(rule: MirrorRule, mirror: string): string {
  return `mirrors[${rule.mirrors.indexOf(mirror)}]`;
}

/**
 * Warns about mirrors that HyperShift's operators skip in silence, because its rules give no image name for any image of
 * the source. Names that are no references themselves are not checked here.
 */
export function unusablePairs(rule: MirrorRule): readonly Issue[] {
  const { source } = rule;
  const image = parseDockerReference(imageOf(source));
  if ("error" in image || "error" in parseDockerReference(source)) return [];
  return [...new Set(rule.mirrors)].flatMap((mirror): Issue[] => {
    if (mirror === source || "error" in parseDockerReference(mirror)) return [];
    const verdict = applyPair(image.reference, source, mirror);
    if (verdict.state === "match") return [];
    const isMatched = verdict.state === "error";
    const why = isMatched ? verdict.message : "it reads the port of the source as a tag";
    return [
      ruleIssue(rule, indexed(rule, mirror), mirror, {
        code: "UnusablePair",
        severity: "warning",
        message: sentence`HyperShift cannot make an image name of source ${source} and this mirror (${why}) and skips it, except for release images`,
        remedy: isMatched
          ? sentence`Give the mirror as many parts as the source has: ${["host[:port]", ...source.split("/").slice(1)].join("/")}.`
          : sentence`Write a rule for each namespace: ${source}/NAMESPACE.`,
      }),
    ];
  });
}
