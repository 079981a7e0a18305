import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  conditionTypes,
  type StoredCondition,
  storedCondition,
  withUpgradeCondition,
} from "#shared/domain/precache-model/conditions.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { requiresReady } from "#shared/domain/precache-start/limits.ts";
import { readinessFor } from "#shared/domain/ready/record/readiness-report.ts";
import type { Readiness } from "#shared/domain/ready/record/verdict.ts";

/** The report about the readiness of images, and the objects that decide whether ready images are required. */
export type ReadinessSources = Readonly<{
  configs: readonly KubernetesObject[];
  /** Used only if ready images are required. */
  readinessReport?: KubernetesObject | undefined;
}>;

/** Returns the readiness of an upgrade's images; undefined if the upgrade does not require ready images. */
export function requiredReadiness(
  cgu: KubernetesObject,
  { revision }: PlannedUpgrade,
  { configs, readinessReport }: ReadinessSources,
): Readiness | undefined {
  const { required } = requiresReady([cgu, ...configs]);
  return required ? readinessFor(readinessReport, revision) : undefined;
}

/** Returns the reason why the clusters of an upgrade must wait for ready images; undefined if they may start. */
export function startsHeldBy(readiness: Readiness | undefined): string | undefined {
  return readiness && readiness.ready !== "True" ? readiness.message : undefined;
}

const type = conditionTypes.imagesReady;

/**
 * Adds the condition about ready images, or removes it if ready images are not required. The condition is last while
 * clusters wait for images, since `oc get cgu` shows the last condition; otherwise the pre-caching condition is last.
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
