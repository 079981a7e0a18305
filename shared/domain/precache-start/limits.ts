import { isHost } from "../images/location-patterns.ts";
import { hostOf } from "../images/scope.ts";
import { annotationIssue, type Issue } from "../issues/issue.ts";
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
import type { Limit, LimitsOf } from "./admission.ts";

/** Annotations of a ClusterGroupUpgrade or of its PreCachingConfig; the former wins. */
export const limitAnnotations = {
  /** The maximum number of clusters of one site at a time. */
  perSite: "hubrelay.dev/max-per-site",
  /** The maximum number of clusters at one registry at a time: `registry.example.com:8443=50,quay.io=10`. */
  perRegistry: "hubrelay.dev/max-per-registry",
} as const;

/** The limits in the annotations, without invalid ones. */
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

/** Reads the limits of a CGU from its annotations and from those of its PreCachingConfig. */
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

/**
 * Returns the limits of each cluster of a CGU. `siteOf` returns the site of a cluster, undefined for one without the
 * label, which has no site limit. A registry's slots are shared with the other CGUs that pull from it.
 */
export function limitsOf(
  upgrade: PlannedUpgrade,
  { site, registries, issues }: RequestedLimits,
  siteOf: (cluster: string) => string | undefined,
  others: readonly KubernetesObject[],
): LimitsOf {
  const { maxConcurrency, clusters } = upgrade;
  const all = maxConcurrency >= 1 ? maxConcurrency : clusters.length;
  // An invalid limit must not mean no limit.
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
