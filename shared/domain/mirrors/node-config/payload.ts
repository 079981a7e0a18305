import { formatImageReference, type ImageReference } from "../../images/image-reference.ts";
import { isNested } from "../../images/scope.ts";
import { fieldIssue, type Issue, type Problem, type Severity } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, ruleIssue } from "../input/rules.ts";
import type { MergedMirrors } from "../merge/merge.ts";
import { findByScope, findEntry, pullSources, rewriteReference } from "../pull/pull-sources.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";

/*
 * A node that cannot pull the release payload can neither upgrade nor be repaired. hubrelay therefore evaluates its
 * output as the container runtime will, before it is written.
 */

/**
 * Returns the rules whose mirror makes every pull of the payload fail: the runtime rewrites the reference for all
 * mirrors before it tries the first, and gives up when one result is not a reference. That happens when the source
 * is the payload's repository itself and the mirror a bare host, so that no repository is left.
 */
export function rulesThatBreakPayload(
  groups: readonly MergedMirrors[],
  payload: ImageReference,
): readonly MirrorRule[] {
  const deciding = findByScope(groups, ({ source }) => source, payload.repository)?.source;
  // Stryker disable next-line ConditionalExpression: no group has an undefined source, so none is found below
  if (deciding === undefined) return [];
  const isBroken = (mirror: string): boolean => !rewriteReference(payload, deciding, mirror);
  return groups
    .filter(({ source }) => source === deciding)
    .flatMap(({ rules }) => rules.filter(({ mirrors }) => mirrors.some(isBroken)));
}

/**
 * Reports whether the runtime can pull an image of the payload from at least one location that is not blocked.
 * Locations in `absent` do not have it.
 */
export function isPayloadReachable(
  entries: readonly RegistryEntry[],
  payload: ImageReference,
  absent: ReadonlySet<string> = new Set(),
): boolean {
  const entry = findEntry(entries, payload.repository);
  if (!entry) return true;
  const sources = pullSources(entry, payload);
  if (sources.some(({ reference }) => !reference)) return false;
  return sources.some(
    ({ reference }) =>
      reference &&
      findEntry(entries, reference.repository)?.blocked !== true &&
      !absent.has(formatImageReference(reference)),
  );
}

/** Returns the locations from which an image must be pulled, because its source may not be; none while that is open. */
export function onlyLocations(
  entries: readonly RegistryEntry[],
  image: ImageReference,
): readonly ImageReference[] {
  const entry = findEntry(entries, image.repository);
  if (!entry?.blocked) return [];
  return pullSources(entry, image).flatMap(({ reference }) =>
    reference && !findEntry(entries, reference.repository)?.blocked ? [reference] : [],
  );
}

/** Returns the issue of a rule of `rulesThatBreakPayload`. */
export function breaksPayload(rule: MirrorRule, payload: ImageReference, severity: Severity): Issue {
  return ruleIssue(rule, "mirrors", rule.mirrors, {
    code: "MirrorBreaksPayload",
    severity,
    message: sentence`rewriting reference: repository name must be canonical: with these mirrors every pull of the release payload ${goQuote(payload.repository)} fails`,
    remedy: "Give the mirror a repository: host[:port]/path.",
  });
}

const quoted = (images: readonly ImageReference[]): string =>
  images.map(({ repository }) => goQuote(repository)).join(", ");

/**
 * Returns the issues of images of the payload that cannot be pulled from anywhere: one for each rule of the source, or
 * each blocked scope, that decides about them. Without either the base file is the cause, which no object can change.
 */
export function unreachablePayload(
  images: readonly ImageReference[],
  {
    entries,
    groups,
    image: imageConfig,
    blocked,
    absent,
  }: Readonly<{
    entries: readonly RegistryEntry[];
    groups: readonly MergedMirrors[];
    /** The Image configuration, and the scopes that it blocks. */
    image: KubernetesObject | undefined;
    blocked: readonly ListedScope[];
    absent?: ReadonlySet<string>;
  }>,
  severity: Severity,
): readonly Issue[] {
  const cutOff = images.filter((image) => !isPayloadReachable(entries, image, absent));
  const byScope = Map.groupBy(cutOff, ({ repository }) => {
    const entry = findEntry(entries, repository);
    return entry && scopeOf(entry);
  });
  return [...byScope].flatMap(([scope, inside]): readonly Issue[] => {
    const isAbsent = inside.some((image) => isPayloadReachable(entries, image));
    const problem: Problem = {
      code: "PayloadUnreachable",
      severity,
      message: sentence`the release payload ${quoted(inside)} could not be pulled from anywhere: its source must not be contacted, and no mirror for pulls by digest ${isAbsent ? "has it" : "is open"}`,
      remedy:
        "Add a digest mirror that has the release payload and is not blocked, or allow contacting the source.",
    };
    const rules = groups.filter(({ source }) => source === scope).flatMap((group) => group.rules);
    const listed = blocked.find((one) => inside.some(({ repository }) => isNested(repository, one.scope)));
    if (rules.length === 0 && imageConfig && listed) {
      return [fieldIssue(imageConfig, listed.path, listed.scope, problem)];
    }
    if (rules.length === 0) {
      return [fieldIssue({ kind: "File", name: "registries.conf" }, "1:1", scope, problem)];
    }
    return rules.map((rule) => ruleIssue(rule, "source", rule.source, problem));
  });
}
