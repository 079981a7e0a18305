import {
  type DockerReference,
  nameText,
  parseDockerReference,
  referenceText,
} from "../../images/docker-reference.ts";
import type { Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { type MirrorRule, ruleIssue } from "../../mirrors/input/rules.ts";
import { sentence } from "../../text/redact.ts";

type PairVerdict =
  | Readonly<{ state: "match"; reference: string }>
  /** The source matches, but the resulting reference has neither tag nor digest. */
  | Readonly<{ state: "lost"; message: string }>
  | Readonly<{ state: "no match" }>
  /** HyperShift skips the mirror with this message. */
  | Readonly<{ state: "error"; message: string }>;

function compose(
  reference: DockerReference,
  source: DockerReference,
  mirror: DockerReference,
): Readonly<{ text: string; rule: string }> | undefined {
  const isBareName = source.namespace === "";
  if (isBareName && source.registry === "" && reference.registry === source.name) {
    const text = `${referenceText(mirror)}/${reference.namespace}/${nameText(reference)}`;
    return { text, rule: "root registry match" };
  }
  if (isBareName && source.name === reference.namespace) {
    const text = `${mirror.registry}/${mirror.name}/${nameText(reference)}`;
    return { text, rule: "namespace match" };
  }
  if (source.namespace !== reference.namespace || source.name !== reference.name) return undefined;
  const { tag, digest } = reference;
  const text = `${mirror.registry}/${mirror.namespace}/${nameText({ ...mirror, tag, digest })}`;
  return { text, rule: "exact match" };
}

/** Applies the rule of older releases: the mirror replaces everything in the reference except the digest. */
function exactMatch(
  reference: DockerReference,
  source: DockerReference,
  mirror: DockerReference,
): PairVerdict {
  if (source.namespace !== reference.namespace || source.name !== reference.name)
    return { state: "no match" };
  const found = { ...mirror, digest: reference.digest };
  if (found.digest === "" && found.tag === "")
    return { state: "lost", message: "failed to obtain root manifest: no tag or digest specified" };
  return { state: "match", reference: referenceText(found) };
}

function refused(what: string, why: string): PairVerdict {
  return { state: "error", message: sentence`${what}: ${why}` };
}

/**
 * Returns the reference in the mirror if the source matches by HyperShift's rules. The first matching rule counts:
 * registry, namespace, then repository (the only rule of older releases). Only the first rule compares registries.
 * Behaviour: GetRegistryOverrides in support/util/imagemetadata.go.
 */
export function applyPair(
  reference: DockerReference,
  source: string,
  mirror: string,
  isOld = false,
): PairVerdict {
  const from = parseDockerReference(source);
  if ("error" in from)
    return refused(sentence`failed to parse source image reference ${goQuote(source)}`, from.error);
  const to = parseDockerReference(mirror);
  if ("error" in to)
    return refused(sentence`failed to parse mirror image reference ${goQuote(mirror)}`, to.error);
  if (isOld) return exactMatch(reference, from.reference, to.reference);
  const composed = compose(reference, from.reference, to.reference);
  if (!composed) return { state: "no match" };
  const parsed = parseDockerReference(composed.text);
  if ("error" in parsed)
    return refused(sentence`failed to parse composed image reference (${composed.rule})`, parsed.error);
  return { state: "match", reference: referenceText(parsed.reference) };
}

const namespaceAndName = ["any", "image"];

function imageOf(source: string): string {
  const given = source.split("/").slice(1);
  return [source, ...namespaceAndName.slice(given.length)].join("/");
}

function indexed(rule: MirrorRule, mirror: string): string {
  return `mirrors[${rule.mirrors.indexOf(mirror)}]`;
}

/** Warns about mirrors from which HyperShift can make no image name. It skips such mirrors without a message. */
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
