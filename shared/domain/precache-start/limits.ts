import { isHost } from "../images/location-format.ts";
import { hostOf } from "../images/scope.ts";
import { annotationIssue, type Issue } from "../issues/issue.ts";
import { ownValue } from "../kubernetes/json/values.ts";
import { firstAnnotated, type KubernetesObject } from "../kubernetes/object.ts";
import { isRunningState } from "../precache-model/cluster-state.ts";
import {
  type PlannedUpgrade,
  plannedUpgrade,
  siteLabelAnnotation,
  siteLabelOf,
} from "../precache-model/planned-upgrade.ts";
import type { PrecachingSpec } from "../precache-model/precaching-spec.ts";
import { sentence } from "../text/redact.ts";
import { bandwidthAnnotations } from "./bandwidth-annotation.ts";
import type { Limit, LimitsOf } from "./slots.ts";

/** A cluster's link, with its speed in Mbit/s. `site` is set if the clusters of that site share the link. */
type Link = Readonly<{ mbit: number; site?: string }>;

/** Returns a function that returns a cluster's link from `bandwidthAnnotation`, or undefined without a bandwidth. */
export function linksOf(
  objects: readonly KubernetesObject[],
  labelsOf: (cluster: string) => Readonly<Record<string, string>> | undefined,
): (cluster: string) => Link | undefined {
  const { elsewhere, bySite } = bandwidthAnnotations(objects).bandwidths;
  const siteLabel = siteLabelOf(objects) ?? "";
  return (cluster) => {
    const site = ownValue(labelsOf(cluster), siteLabel);
    const mbit = site === undefined ? undefined : bySite.get(site);
    if (site !== undefined && mbit !== undefined) return { mbit, site };
    return elsewhere === undefined ? undefined : { mbit: elsewhere };
  };
}

/** Annotations of a ClusterGroupUpgrade or its PreCachingConfig; the former takes precedence. */
export const limitAnnotations = {
  /** The maximum number of clusters of one site that pull at a time. */
  perSite: "hubrelay.dev/max-per-site",
  /** The maximum number of clusters that pull from a registry at a time: `registry.lab:8443=50,quay.io=10`. */
  perRegistry: "hubrelay.dev/max-per-registry",
} as const;

/** Valid limits from `limitAnnotations`, and issues about invalid limits. */
export type RequestedLimits = Readonly<{
  site: Readonly<{ label: string; max: number }> | undefined;
  registries: ReadonlyMap<string, number>;
  issues: readonly Issue[];
}>;

function countOf(text: string): number | undefined {
  return /^[1-9][0-9]{0,5}$/.test(text.trim()) ? Number(text) : undefined;
}

function invalidLimit(object: KubernetesObject, annotation: string, value: string, remedy: string): Issue {
  const message = "Invalid limit; until it is fixed, clusters start one at a time.";
  return annotationIssue(object, annotation, { code: "InvalidLimit", value, message, remedy });
}

/** Reads the limits in the `limitAnnotations` of a ClusterGroupUpgrade and its PreCachingConfig. */
export function readLimits(objects: readonly KubernetesObject[]): RequestedLimits {
  const issues: Issue[] = [];
  const perSite = firstAnnotated(objects, limitAnnotations.perSite);
  const label = siteLabelOf(objects);
  if (perSite && !label)
    issues.push(
      invalidLimit(
        perSite.object,
        limitAnnotations.perSite,
        perSite.value,
        `Name the label of a cluster's site in ${siteLabelAnnotation}.`,
      ),
    );
  const max = perSite && countOf(perSite.value);
  if (perSite && max === undefined)
    issues.push(
      invalidLimit(perSite.object, limitAnnotations.perSite, perSite.value, "Write a whole number from 1."),
    );

  const registries = new Map<string, number>();
  const perRegistry = firstAnnotated(objects, limitAnnotations.perRegistry);
  for (const entry of perRegistry?.value.split(",") ?? []) {
    const [host = "", text = ""] = entry.split("=").map((part) => part.trim());
    const limit = countOf(text);
    if (limit !== undefined) registries.set(host, limit);
    if (perRegistry && (limit === undefined || !isHost(host)))
      issues.push(
        invalidLimit(
          perRegistry.object,
          limitAnnotations.perRegistry,
          entry,
          "Write host[:port]=number, several separated by commas.",
        ),
      );
  }
  const site = label && max ? { label, max } : undefined;
  return { site, registries, issues };
}

function registriesOf(content: PrecachingSpec): ReadonlySet<string> {
  const { platformImage, operatorsIndexes, additionalImages } = content;
  return new Set(
    [...(platformImage ? [platformImage] : []), ...operatorsIndexes, ...additionalImages].map(hostOf),
  );
}

const holdingOf = (upgrade: PlannedUpgrade): number =>
  Object.values(upgrade.states).filter(isRunningState).length;

/** Returns a function that finds a cluster's limits. Upgrades that pull from the same registry share its slots. */
export function limitsOf(
  upgrade: PlannedUpgrade,
  { site, registries, issues }: RequestedLimits,
  siteOf: (cluster: string) => string | undefined,
  others: readonly KubernetesObject[],
): LimitsOf {
  const { maxConcurrency, clusters } = upgrade;
  const all = maxConcurrency >= 1 ? maxConcurrency : clusters.length;
  // Until an invalid limit is fixed, clusters pull one at a time: an error must not remove a limit.
  const invalid: readonly Limit[] = issues.length > 0 ? [{ name: "an invalid limit", max: 1 }] : [];
  const ofAll = [{ name: "maxConcurrency", max: all }, ...invalid];
  const used = registriesOf(upgrade.content);
  const ofRegistries: Limit[] = [];
  for (const [host, max] of registries) {
    if (!used.has(host)) continue;
    const takenElsewhere = others
      .flatMap((other) => plannedUpgrade(other) ?? [])
      .filter(({ content }) => registriesOf(content).has(host))
      .reduce((sum, other) => sum + holdingOf(other), 0);
    ofRegistries.push({ name: sentence`registry ${host}`, max, takenElsewhere });
  }
  const withoutSite = [...ofAll, ...ofRegistries];
  if (!site) return () => withoutSite;
  const bySite = new Map<string, readonly Limit[]>();
  return (cluster) => {
    const name = siteOf(cluster);
    if (name === undefined) return withoutSite;
    const ofSite = { name: sentence`site ${name}`, max: site.max };
    const limits = bySite.get(name) ?? [...ofAll, ofSite, ...ofRegistries];
    bySite.set(name, limits);
    return limits;
  };
}

/**
 * Annotation of a ClusterGroupUpgrade or its PreCachingConfig (the former takes precedence): how many images a
 * cluster may pull at a time.
 */
export const parallelPullsAnnotation = "hubrelay.dev/parallel-pulls";

/** Returns how many images a cluster may pull at a time: undefined without the annotation, 1 if it is invalid. */
export function parallelPulls(
  objects: readonly KubernetesObject[],
): Readonly<{ max: number | undefined; issues: readonly Issue[] }> {
  const annotated = firstAnnotated(objects, parallelPullsAnnotation);
  if (!annotated) return { max: undefined, issues: [] };
  const { object, value } = annotated;
  if (/^[1-9][0-9]?$/.test(value.trim())) return { max: Number(value), issues: [] };
  const issue = annotationIssue(object, parallelPullsAnnotation, {
    code: "InvalidLimit",
    message: "Invalid number of images; until it is fixed, clusters that start pull one image at a time.",
    remedy: "Write a whole number from 1 to 99.",
  });
  return { max: 1, issues: [issue] };
}

/**
 * Annotation of a ClusterGroupUpgrade or its PreCachingConfig (the former takes precedence): with `"true"`, clusters
 * wait until mirrors have all images.
 */
export const requireReadyAnnotation = "hubrelay.dev/require-ready";

/**
 * Reports whether clusters must wait until their images are ready. An invalid annotation counts as true: a typing
 * error must not start clusters before mirrors have their images.
 */
export function requiresReady(
  objects: readonly KubernetesObject[],
): Readonly<{ required: boolean; issues: readonly Issue[] }> {
  const annotated = firstAnnotated(objects, requireReadyAnnotation);
  if (!annotated || annotated.value === "false") return { required: false, issues: [] };
  if (annotated.value === "true") return { required: true, issues: [] };
  const issue = annotationIssue(annotated.object, requireReadyAnnotation, {
    code: "RequireReadyInvalid",
    message: "It is neither true nor false; until it is fixed, clusters wait until their images are ready.",
    remedy: 'Write "true" or "false".',
  });
  return { required: true, issues: [issue] };
}
