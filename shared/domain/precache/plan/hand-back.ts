import { type Issue, issueObject } from "../../issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../conditions.ts";
import { readUpgradeSpec } from "./upgrade-spec.ts";

/**
 * When the rollout is handed back to TALM after pre-caching, by `enable: true`: `"now"` as soon as pre-caching is
 * done, or a time (RFC 3339) before which it is not, for instance the beginning of a maintenance window.
 */
export const enableAnnotation = "hubrelay.dev/enable-after-precaching";

/** What is to be done: nothing, `enable` it now, or `wait` until a time; a value that is no time is an issue. */
export type HandBack = Readonly<
  | { step: "none"; issues: readonly Issue[] }
  | { step: "enable"; issues: readonly Issue[] }
  | { step: "wait"; until: Date; issues: readonly Issue[] }
>;

const nothing: HandBack = { step: "none", issues: [] };
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Decides about `enable` once pre-caching has ended with at least one cluster: TALM goes on with the clusters that
 * have succeeded. Where all failed it stays as it is, for then there is nothing to roll out.
 */
export function handBack(cgu: KubernetesObject, now: Date): HandBack {
  const wish = cgu.metadata.annotations?.[enableAnnotation];
  if (wish === undefined) return nothing;
  const at = wish === "now" ? now : time.test(wish) ? new Date(wish) : undefined;
  if (!at || Number.isNaN(at.getTime())) {
    const issue: Issue = {
      code: "EnableTimeInvalid",
      severity: "error",
      object: issueObject(cgu),
      path: `metadata.annotations["${enableAnnotation}"]`,
      value: wish,
      message: "The value is neither now nor a time.",
      remedy: 'Write "now", or a time such as 2026-03-02T01:00:00Z.',
    };
    return { step: "none", issues: [issue] };
  }
  const done = storedCondition(storedConditions(cgu.status), conditionTypes.precachingSucceeded);
  if (readUpgradeSpec(cgu).enable || done?.status !== "True") return nothing;
  return at <= now ? { step: "enable", issues: [] } : { step: "wait", until: at, issues: [] };
}
