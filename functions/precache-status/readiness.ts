import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  conditionTypes,
  type StoredCondition,
  storedCondition,
  withUpgradeCondition,
} from "#shared/domain/precache-model/conditions.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { requiresReady } from "#shared/domain/precache-start/rollout/require-ready.ts";
import { readinessFor } from "#shared/domain/ready/record/readiness-report.ts";
import type { Readiness } from "#shared/domain/ready/record/verdict.ts";

/** What decides whether ready images are required, and the report about them. */
export type ReadinessSources = Readonly<{
  configs: readonly KubernetesObject[];
  /** Whether its images are ready; read where that is required. */
  readinessReport?: KubernetesObject | undefined;
}>;

/** Returns whether the images of an upgrade are ready, if that is required before clusters start. */
export function requiredReadiness(
  cgu: KubernetesObject,
  { revision }: PlannedUpgrade,
  { configs, readinessReport }: ReadinessSources,
): Readiness | undefined {
  const { required } = requiresReady([cgu, ...configs]);
  return required ? readinessFor(readinessReport, revision) : undefined;
}

/** Returns why no cluster of an upgrade may start before its images are ready; undefined when any may. */
export function startsHeldBy(readiness: Readiness | undefined): string | undefined {
  return readiness && readiness.ready !== "True" ? readiness.message : undefined;
}

const type = conditionTypes.imagesReady;

/**
 * Returns the conditions with that about ready images, or without it where it is not required. `oc get cgu` shows the last
 * one: what clusters wait for, or otherwise the progress of pre-caching.
 */
export function withReadinessCondition(
  conditions: readonly StoredCondition[],
  readiness: Readiness | undefined,
  now: Date,
): readonly StoredCondition[] {
  const present = storedCondition(conditions, type);
  if (!readiness) return present ? conditions.filter((one) => one !== present) : conditions;
  const { ready: status, reason, message } = readiness;
  const written = withUpgradeCondition(conditions, { type, status, reason, message }, now);
  if (status !== "True" || present?.status === "True") return written;
  const own = written.filter((one) => one.type === type);
  const others = written.filter((one) => one.type !== type);
  const index = others.findIndex((one) => one.type === conditionTypes.precachingSucceeded);
  return index < 0 ? written : [...others.slice(0, index), ...own, ...others.slice(index)];
}
